import { Page } from '../../parts/page.tsx';

export function History() {
  return <Page title="History">…</Page>;
}
