import { join } from 'node:path';
import { app, BrowserWindow, type BrowserWindowConstructorOptions, nativeTheme } from 'electron';
import { offerEditing } from '../app-menu.ts';
import { onceReadyToShow } from './ready-to-show.ts';
import { PAGE_ORIGIN } from '../page/page-protocol.ts';
import { bringOnScreen, applyBounds } from './placement.ts';

/** As the page's theme has it, so that nothing flashes. */
const BACKGROUND = { dark: '#12151b', light: '#ffffff' } as const;

/** Each of the app's windows has a plan of its own. */
export interface WindowPlan {
  /** The page's address that it begins at. */
  readonly address: string;
  readonly options: () => BrowserWindowConstructorOptions;
  /** Just before it is seen for the first time. */
  readonly arrive: (window: BrowserWindow) => void;
  /** A person closes it, which hides it and no more. */
  readonly closing: (window: BrowserWindow) => void;
  /** It is about to be hidden or to go: what there is to remember is asked now. */
  readonly remember: (window: BrowserWindow) => void;
  /** Windows ends the session, and waits a little for the app to end. */
  readonly onSessionEnd: () => void;
}

/** How often a page that ends is made anew within a while; then a person has to ask for it. */
const REPLACEMENTS = { most: 3, withinMs: 60_000 } as const;

/** A window of the app with its page. It is made when it is first shown, hidden when it is closed, and gone only when the app ends. */
export class PageWindow {
  readonly #plan: WindowPlan;
  #window: BrowserWindow | null = null;
  #loaded: Promise<void> = Promise.resolve();
  #hasFailed = false;
  /** Whether a person wants to see it: the latest wish counts, however long the window takes. */
  #isWanted = false;
  /** From its making until it can be shown. */
  #isComing = false;
  #hasArrived = false;
  /** Since it was shown last. On Wayland a focus may never come. */
  #hasHadFocus = false;
  #replacedAt: readonly number[] = [];
  #mayClose = false;

  constructor(plan: WindowPlan) {
    this.#plan = plan;
  }

  /** Whether a person has it before them, or will in a moment. */
  get isInFront(): boolean {
    if (this.#isComing) return this.#isWanted;
    return this.#window?.isFocused() ?? false;
  }

  /** As `isInFront`, but also true of a window that is seen and was never told of its focus, and not of one that is still coming. */
  get mayBeInFront(): boolean {
    const window = this.#window;
    if (window === null || this.#isComing || !window.isVisible()) return false;
    return window.isFocused() || !this.#hasHadFocus;
  }

  /** Tells the page something; nobody hears it while there is none. */
  send(channel: string, value?: unknown): void {
    this.#window?.webContents.send(channel, value);
  }

  /** As `send`, but once the page is there. */
  sendLoaded(channel: string, value?: unknown): void {
    void this.#loaded.then(() => this.send(channel, value));
  }

  /**
   * Shows it in front, as soon as it can be shown. A page that is loaded now begins at another address than its own if one is given;
   * `false`: the page was there already, wherever it is.
   */
  show(address = this.#plan.address): boolean {
    this.#isWanted = true;
    const isNew = this.#window === null || this.#hasFailed;
    if (this.#window === null) this.#make(address);
    else if (this.#hasFailed) void this.#load(this.#window, address);
    if (this.#window !== null && !this.#isComing) this.#bring(this.#window);
    return isNew;
  }

  /** Hides it, then calls `then`, unless it is wanted again before. On macOS it leaves full screen first, which takes a while. */
  hide(then: () => void = () => undefined): void {
    this.#isWanted = false;
    const window = this.#window;
    if (window === null) return;
    if (process.platform === 'darwin' && window.isFullScreen()) {
      // A full-screen window that is hidden leaves a black space behind on macOS.
      window.once('leave-full-screen', () => {
        if (!this.#isWanted) this.hide(then);
      });
      return window.setFullScreen(false);
    }
    this.#remember(window);
    window.hide();
    then();
  }

  /** Lets it be closed, for the app ends. One that is still coming does not come any more. */
  release(): void {
    this.#mayClose = true;
    if (this.#window === null) return;
    if (this.#isComing) this.#isWanted = false;
    this.#remember(this.#window);
  }

  #make(address: string): void {
    const options = this.#plan.options();
    const window = new BrowserWindow({ ...options, ...commonOptions() });
    applyBounds(window, options);
    this.#window = window;
    this.#hasArrived = false;
    window.setMenuBarVisibility(false);
    window.on('close', (event) => {
      this.#remember(window);
      if (this.#mayClose) return;
      event.preventDefault();
      this.#plan.closing(window);
    });
    window.on('focus', () => (this.#hasHadFocus = true));
    window.on('hide', () => (this.#hasHadFocus = false));
    window.once('closed', () => this.#forget(window));
    window.on('query-session-end', (event) => {
      event.preventDefault();
      this.#plan.onSessionEnd();
    });
    offerEditing(window.webContents);
    window.webContents.on('render-process-gone', () => this.#replace(window));
    this.#isComing = true;
    onceReadyToShow(window, this.#load(window, address), () => this.#arrive(window));
  }

  /** Loads the page; rejects when it cannot be loaded, and the next showing tries again. */
  #load(window: BrowserWindow, address: string): Promise<void> {
    this.#hasFailed = false;
    const loading = window.loadURL(`${PAGE_ORIGIN}${address}`);
    this.#loaded = loading.catch((error: unknown) => {
      // Another load has taken its place.
      const isReplaced = Object(error).code === 'ERR_ABORTED';
      this.#hasFailed = this.#window === window && !isReplaced;
    });
    return loading;
  }

  #arrive(window: BrowserWindow): void {
    this.#isComing = false;
    if (this.#isWanted) this.#bring(window);
  }

  #bring(window: BrowserWindow): void {
    if (!this.#hasArrived) this.#plan.arrive(window);
    this.#hasArrived = true;
    if (window.isMinimized()) window.restore();
    if (!window.isMaximized() && !window.isFullScreen()) bringOnScreen(window);
    window.show();
    window.focus();
  }

  /** A window that was not seen yet is not what a person has left it as. */
  #remember(window: BrowserWindow): void {
    if (this.#hasArrived && (window.isVisible() || window.isMinimized())) {
      this.#plan.remember(window);
    }
  }

  #forget(window: BrowserWindow): void {
    if (this.#window !== window) return;
    this.#window = null;
    this.#hasFailed = false;
    this.#isComing = false;
    this.#hasHadFocus = false;
  }

  /** A page that is gone leaves a white sheet. It is made anew where it is wanted, unless it goes again and again or the app ends. */
  #replace(window: BrowserWindow): void {
    const isSeen = window.isVisible() || (this.#isComing && this.#isWanted);
    window.destroy();
    if (!isSeen || this.#mayClose) return;
    const now = performance.now();
    this.#replacedAt = this.#replacedAt.filter((at) => at > now - REPLACEMENTS.withinMs);
    if (this.#replacedAt.length >= REPLACEMENTS.most) return;
    this.#replacedAt = [...this.#replacedAt, now];
    this.show();
  }
}

/** Gives the options that are the same for all windows. */
function commonOptions(): BrowserWindowConstructorOptions {
  return {
    show: false,
    title: 'Gatehouse',
    // Elsewhere, and where a Linux package is installed, the system takes it from the package.
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
