import { join } from 'node:path';
import { app, BrowserWindow, type BrowserWindowConstructorOptions, nativeTheme } from 'electron';
import { offerEditing } from '../app-menu.ts';
import { onceReadyToShow } from './ready-to-show.ts';
import { PAGE_ORIGIN } from '../page/page-protocol.ts';
import { bringOnScreen, applyBounds } from './placement.ts';

/** The background colour of the page's theme, so that nothing flashes. */
const BACKGROUND = { dark: '#12151b', light: '#ffffff' } as const;

/** The properties in which the windows of the app differ. */
export interface PageWindowOptions {
  /** The address that the page starts at. */
  readonly address: string;
  readonly options: () => BrowserWindowConstructorOptions;
  /** Is called just before the window is shown for the first time. */
  readonly onFirstShow: (window: BrowserWindow) => void;
  /** Is called when a person closes the window, which only hides it. */
  readonly onClose: (window: BrowserWindow) => void;
  /** Is called when the window is about to be hidden or closed, so that its state can be saved. */
  readonly onSaveState: (window: BrowserWindow) => void;
  /** Is called when Windows ends the session; it waits a little for the app to end. */
  readonly onSessionEnd: () => void;
}

/** Maximum number of reloads of a crashed page within a period; then a person has to ask for it. */
const REPLACEMENTS = { max: 3, withinMs: 60_000 } as const;

/**
 * A window of the app with its page. It is created when it is first shown, hidden when it is closed, and destroyed only when the app
 * ends.
 */
export class PageWindow {
  readonly #options: PageWindowOptions;
  #window: BrowserWindow | null = null;
  #loaded: Promise<void> = Promise.resolve();
  #hasFailed = false;
  /** Whether it should be visible: the latest request counts, however long the window takes. */
  #isWanted = false;
  /** True from its creation until it can be shown. */
  #isLoading = false;
  #wasShown = false;
  /** Whether it was focused since it was last shown. On Wayland a focus event may never come. */
  #hasHadFocus = false;
  #replacedAt: readonly number[] = [];
  #mayClose = false;

  constructor(options: PageWindowOptions) {
    this.#options = options;
  }

  /** Whether it is in front of a person, or will be in a moment. */
  get isInFront(): boolean {
    if (this.#isLoading) return this.#isWanted;
    return this.#window?.isFocused() ?? false;
  }

  /** Like `isInFront`, but also true for a visible window that never got a focus event, and false for one that is not shown yet. */
  get mayBeInFront(): boolean {
    const window = this.#window;
    if (window === null || this.#isLoading || !window.isVisible()) return false;
    return window.isFocused() || !this.#hasHadFocus;
  }

  /** Sends an event to the page, if there is one. */
  send(channel: string, value?: unknown): void {
    this.#window?.webContents.send(channel, value);
  }

  /** Sends an event like `send`, but once the page has loaded. */
  sendLoaded(channel: string, value?: unknown): void {
    void this.#loaded.then(() => this.send(channel, value));
  }

  /**
   * Shows the window in front as soon as it can be shown. A page that is loaded now starts at the given address. Returns `false` when
   * the page was loaded already, whatever its address.
   */
  show(address = this.#options.address): boolean {
    this.#isWanted = true;
    const isNew = this.#window === null || this.#hasFailed;
    if (this.#window === null) this.#create(address);
    else if (this.#hasFailed) void this.#load(this.#window, address);
    if (this.#window !== null && !this.#isLoading) this.#present(this.#window);
    return isNew;
  }

  /**
   * Hides the window, then calls `then`, unless it is requested again before. On macOS it leaves full screen first, which takes a while.
   */
  hide(then: () => void = () => undefined): void {
    this.#isWanted = false;
    const window = this.#window;
    if (window === null) return;
    if (process.platform === 'darwin' && window.isFullScreen()) {
      // On macOS, hiding a full-screen window leaves a black space.
      window.once('leave-full-screen', () => {
        if (!this.#isWanted) this.hide(then);
      });
      return window.setFullScreen(false);
    }
    this.#saveState(window);
    window.hide();
    then();
  }

  /** Allows it to be closed, because the app ends. One that is not shown yet will not be shown. */
  release(): void {
    this.#mayClose = true;
    if (this.#window === null) return;
    if (this.#isLoading) this.#isWanted = false;
    this.#saveState(this.#window);
  }

  #create(address: string): void {
    const options = this.#options.options();
    const window = new BrowserWindow({ ...options, ...commonOptions() });
    applyBounds(window, options);
    this.#window = window;
    this.#wasShown = false;
    window.setMenuBarVisibility(false);
    window.on('close', (event) => {
      this.#saveState(window);
      if (this.#mayClose) return;
      event.preventDefault();
      this.#options.onClose(window);
    });
    window.on('focus', () => (this.#hasHadFocus = true));
    window.on('hide', () => (this.#hasHadFocus = false));
    window.once('closed', () => this.#forget(window));
    window.on('query-session-end', (event) => {
      event.preventDefault();
      this.#options.onSessionEnd();
    });
    offerEditing(window.webContents);
    window.webContents.on('render-process-gone', () => this.#replace(window));
    this.#isLoading = true;
    onceReadyToShow(window, this.#load(window, address), () => this.#onReady(window));
  }

  /** Loads the page; rejects when it cannot be loaded, and the next call of `show` tries again. */
  #load(window: BrowserWindow, address: string): Promise<void> {
    this.#hasFailed = false;
    const loading = window.loadURL(`${PAGE_ORIGIN}${address}`);
    this.#loaded = loading.catch((error: unknown) => {
      // Another load has replaced this one.
      const isReplaced = Object(error).code === 'ERR_ABORTED';
      this.#hasFailed = this.#window === window && !isReplaced;
    });
    return loading;
  }

  #onReady(window: BrowserWindow): void {
    this.#isLoading = false;
    if (this.#isWanted) this.#present(window);
  }

  #present(window: BrowserWindow): void {
    if (!this.#wasShown) this.#options.onFirstShow(window);
    this.#wasShown = true;
    if (window.isMinimized()) window.restore();
    if (!window.isMaximized() && !window.isFullScreen()) bringOnScreen(window);
    window.show();
    window.focus();
  }

  /** A window that was not shown yet has no state of a person to save. */
  #saveState(window: BrowserWindow): void {
    if (this.#wasShown && (window.isVisible() || window.isMinimized())) {
      this.#options.onSaveState(window);
    }
  }

  #forget(window: BrowserWindow): void {
    if (this.#window !== window) return;
    this.#window = null;
    this.#hasFailed = false;
    this.#isLoading = false;
    this.#hasHadFocus = false;
  }

  /** Reloads a crashed page, which leaves a white window, if the window is requested, unless it crashes repeatedly or the app ends. */
  #replace(window: BrowserWindow): void {
    const isSeen = window.isVisible() || (this.#isLoading && this.#isWanted);
    window.destroy();
    if (!isSeen || this.#mayClose) return;
    const now = performance.now();
    this.#replacedAt = this.#replacedAt.filter((at) => at > now - REPLACEMENTS.withinMs);
    if (this.#replacedAt.length >= REPLACEMENTS.max) return;
    this.#replacedAt = [...this.#replacedAt, now];
    this.show();
  }
}

/** Returns the options that all windows share. */
function commonOptions(): BrowserWindowConstructorOptions {
  return {
    show: false,
    title: 'Gatehouse',
    // On other systems, and where a Linux package is installed, the system takes the icon from the package.
    ...(process.platform === 'linux'
      ? { icon: join(import.meta.dirname, 'icons', 'app.png') }
      : {}),
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
