import { join } from 'node:path';
import { app, BrowserWindow, type BrowserWindowConstructorOptions } from 'electron';
import { dialog, nativeTheme, screen } from 'electron';
import { offerEditing } from './app-menu.ts';
import { isOnScreen, type Memory } from './memory.ts';
import { PAGE_ORIGIN } from './page-protocol.ts';

/** As the page's theme has it, so that nothing flashes. */
const BACKGROUND = { dark: '#12151b', light: '#ffffff' } as const;

/** The app's one window. It is made when it is first shown, hidden when it is closed, and gone only when the app ends. */
export class MainWindow {
  readonly #memory: Memory;
  readonly #onSessionEnd: () => void;
  #window: BrowserWindow | null = null;
  #loaded: Promise<void> = Promise.resolve();
  #isComing = false;
  #mayClose = false;

  /** `onSessionEnd`: Windows ends the session, and waits a little for the app to end. */
  constructor(memory: Memory, onSessionEnd: () => void) {
    this.#memory = memory;
    this.#onSessionEnd = onSessionEnd;
  }

  /** Whether a person has it before them, or will in a moment. */
  get isInFront(): boolean {
    return this.#window !== null && (this.#isComing || this.#window.isFocused());
  }

  /** Tells the page something; nobody hears it while there is none. */
  send(channel: string, value?: unknown): void {
    this.#window?.webContents.send(channel, value);
  }

  /** Shows it in front; at one of the page's addresses if one is given. */
  show(address?: string): void {
    void app.dock?.show();
    const window = this.#window;
    if (window === null) return this.#make(address ?? '/');
    if (address !== undefined) void this.#loaded.then(() => this.send('gatehouse:go', address));
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
  }

  /** Remembers its place and lets it be closed, for the app ends. */
  release(): void {
    this.#mayClose = true;
    this.#rememberPlace();
  }

  #make(address: string): void {
    const window = new BrowserWindow({ ...optionsOf(this.#memory), show: false });
    this.#window = window;
    window.setMenuBarVisibility(false);
    this.#isComing = true;
    window.once('ready-to-show', () => this.#arrive(window));
    window.on('close', (event) => this.#closing(event, window));
    window.once('closed', () => (this.#window = null));
    window.on('query-session-end', (event) => {
      event.preventDefault();
      this.#onSessionEnd();
    });
    offerEditing(window.webContents);
    window.webContents.on('render-process-gone', () => this.#replace(window));
    // What did not load says so itself, and is loaded anew by whoever wants to see it.
    this.#loaded = window.loadURL(`${PAGE_ORIGIN}${address}`).catch(() => undefined);
  }

  #arrive(window: BrowserWindow): void {
    this.#isComing = false;
    if (this.#memory.now.maximized) window.maximize();
    window.show();
  }

  /** A page that is gone leaves a white sheet. It is made anew where it was seen, unless it went before it was, or the app ends. */
  #replace(window: BrowserWindow): void {
    const isSeen = window.isVisible();
    window.destroy();
    if (isSeen && !this.#mayClose) this.show();
  }

  #closing(event: Electron.Event, window: BrowserWindow): void {
    this.#rememberPlace();
    if (this.#mayClose) return;
    event.preventDefault();
    if (this.#memory.now.knowsClosing) return this.#hide(window);
    void this.#tellOfClosing(window);
  }

  async #tellOfClosing(window: BrowserWindow): Promise<void> {
    const { response } = await dialog.showMessageBox(window, {
      type: 'info',
      message: 'Gatehouse goes on running',
      detail:
        'Your clients need it, so closing the window only hides it. Open it again from the tray, or by starting Gatehouse once more. To end Gatehouse, choose Quit in its tray menu, or here.',
      buttons: ['Keep it running', 'Quit'],
      defaultId: 0,
      cancelId: 0,
    });
    this.#memory.keep({ knowsClosing: true });
    if (response === 1) app.quit();
    else this.#hide(window);
  }

  #hide(window: BrowserWindow): void {
    if (window.isFullScreen()) {
      // macOS would leave a black screen behind.
      window.once('leave-full-screen', () => this.#hide(window));
      return window.setFullScreen(false);
    }
    window.hide();
    app.dock?.hide();
  }

  #rememberPlace(): void {
    const window = this.#window;
    if (window === null) return;
    this.#memory.keep({ place: window.getNormalBounds(), maximized: window.isMaximized() });
  }
}

function optionsOf(memory: Memory): BrowserWindowConstructorOptions {
  const screens = screen.getAllDisplays().map(({ workArea }) => workArea);
  const { place } = memory.now;
  const known = place !== null && isOnScreen(place, screens);
  return {
    ...(known ? place : { width: 1280, height: 800 }),
    minWidth: 400,
    minHeight: 480,
    title: 'Gatehouse',
    backgroundColor: nativeTheme.shouldUseDarkColors ? BACKGROUND.dark : BACKGROUND.light,
    webPreferences: {
      preload: join(import.meta.dirname, 'preload.cjs'),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
      spellcheck: false,
      devTools: !app.isPackaged,
    },
  };
}
