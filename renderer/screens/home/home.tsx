import { Page } from '../../parts/page.tsx';

export function Home() {
  return <Page title="Home">…</Page>;
}
