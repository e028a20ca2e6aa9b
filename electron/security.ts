import { join } from 'node:path';
import { app, type Session, type WebContents } from 'electron';
import { isPageUrl } from './trusted-sender.ts';

/** The permissions of the page: to copy, and to let a video fill the screen. */
const PERMITTED: ReadonlySet<string> = new Set(['clipboard-sanitized-write', 'fullscreen']);

/** Denies all other permissions to all pages of the app. Has to be called before the first page is created. */
export function hardenSession(session: Session): void {
  session.setPermissionRequestHandler((_contents, permission, ...[answer, { requestingUrl }]) =>
    answer(PERMITTED.has(permission) && isPageUrl(requestingUrl)),
  );
  session.setPermissionCheckHandler(
    (_contents, permission, origin) => PERMITTED.has(permission) && isPageUrl(origin),
  );
  session.on('will-download', (event, item) => {
    if (!isPageUrl(item.getURL().replace(/^blob:/u, ''))) return event.preventDefault();
    const defaultPath = join(app.getPath('downloads'), item.getFilename());
    item.setSaveDialogOptions({ title: 'Save as', defaultPath });
  });
  app.on('web-contents-created', (_event, contents) => hardenContents(contents));
}

function hardenContents(contents: WebContents): void {
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  // The page navigates within itself; it may only be reloaded.
  contents.on('will-frame-navigate', (event) => {
    if (event.url !== contents.getURL() || !event.isMainFrame) event.preventDefault();
  });
  contents.on('will-redirect', (event) => event.preventDefault());
  contents.on('will-attach-webview', (event) => event.preventDefault());
}
