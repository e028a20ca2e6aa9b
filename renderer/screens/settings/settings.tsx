import { Page } from '../../parts/page.tsx';

export function SettingsScreen() {
  return <Page title="SettingsScreen">…</Page>;
}
