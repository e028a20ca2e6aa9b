import { Page } from '../../parts/page.tsx';

export function Clients() {
  return <Page title="Clients">…</Page>;
}
