import type { BrowserWindow } from 'electron';

/** Timeout for a new window's page, in milliseconds from its creation. */
const MAX_WAIT_MS = 2_000;

/**
 * Calls `show` once when a new window can be shown: its page is drawn, or could not be loaded, or two seconds are over. On Linux also
 * when the page has loaded, because on Wayland Electron may never report that it is drawn (electron/electron#48859). Never after the
 * window is closed.
 */
export function onceReadyToShow(
  window: BrowserWindow,
  loaded: Promise<unknown>,
  show: () => void,
): void {
  let isOver = false;
  const end = (): void => {
    isOver = true;
    clearTimeout(timer);
  };
  const finish = (): void => {
    if (isOver) return;
    end();
    show();
  };
  const timer = setTimeout(finish, MAX_WAIT_MS);
  window.once('ready-to-show', finish);
  window.once('closed', end);
  loaded.then(() => (process.platform === 'linux' ? finish() : undefined), finish);
}
