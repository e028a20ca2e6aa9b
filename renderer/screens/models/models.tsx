import { Page } from '../../parts/page.tsx';

export function Models() {
  return <Page title="Models">…</Page>;
}
