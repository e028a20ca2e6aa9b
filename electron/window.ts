import { join } from 'node:path';
import { BrowserWindow } from 'electron';
import { PAGE_ORIGIN } from './page-protocol.ts';

/** The app's one window, made when it is first shown. */
export class MainWindow {
  #window: BrowserWindow | null = null;

  get current(): BrowserWindow | null {
    return this.#window;
  }

  /** Shows it in front; at one of the page's addresses if one is given. */
  show(address?: string): void {
    const window = this.#window ?? this.#make(address ?? '/');
    if (address !== undefined) window.webContents.send('gatehouse:go', address);
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
  }

  #make(address: string): BrowserWindow {
    const window = new BrowserWindow({
      width: 1280,
      height: 800,
      minWidth: 400,
      minHeight: 480,
      title: 'Gatehouse',
      show: false,
      webPreferences: {
        preload: join(import.meta.dirname, 'preload.cjs'),
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        webSecurity: true,
        spellcheck: false,
      },
    });
    this.#window = window;
    window.once('closed', () => (this.#window = null));
    void window.loadURL(`${PAGE_ORIGIN}${address}`);
    return window;
  }
}
