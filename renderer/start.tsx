import '@fontsource-variable/inter/wght.css';
import './styles/first.css';
import '@mantine/notifications/styles.css';
import './page.css';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { ON_DESKTOP } from './api/desktop.ts';
import { openSession } from './api/session.ts';
import { App } from './app.tsx';
import { BrowserApp } from './browser-app.tsx';
import { createAppRouter } from './routes.tsx';
import { styleNonce } from './style-nonce.ts';

/**
 * Shows the page. Its content is there before React renders: React would show a fallback while it loads, and delays by
 * 300 ms whatever replaces a fallback. `takeEarlyMessages` returns the messages of the main process that came meanwhile.
 */
export async function showPage(takeEarlyMessages: () => readonly unknown[]): Promise<void> {
  // The scroll lock of dialogs adds its own style sheet and takes the nonce from here.
  Object.assign(globalThis, { __webpack_nonce__: styleNonce() });
  const root = document.getElementById('root');
  if (root === null) throw new Error('The page has no element #root.');
  const content = ON_DESKTOP ? await loadDesktopApp(takeEarlyMessages) : await loadBrowserApp();
  if (!ON_DESKTOP) takeEarlyMessages();
  createRoot(root).render(<App>{content}</App>);
}

async function loadDesktopApp(takeEarlyMessages: () => readonly unknown[]): Promise<ReactNode> {
  const { DesktopApp } = await import('./desktop-app.tsx');
  return <DesktopApp router={createAppRouter()} takeEarlyMessages={takeEarlyMessages} />;
}

async function loadBrowserApp(): Promise<ReactNode> {
  const session = await openSession();
  const router = createAppRouter();
  if (session.state === 'open') await router.load();
  return <BrowserApp session={session} router={router} />;
}
