import { join } from 'node:path';
import { app, BrowserWindow, type BrowserWindowConstructorOptions } from 'electron';
import { nativeTheme, screen } from 'electron';
import { offerEditing } from './app-menu.ts';
import { isOnScreen, type Place } from './memory.ts';
import { PAGE_ORIGIN } from './page-protocol.ts';

/** As the page's theme has it, so that nothing flashes. */
const BACKGROUND = { dark: '#12151b', light: '#ffffff' } as const;

/** What one of the app's windows has of its own. */
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

/** A window of the app with its page. It is made when it is first shown, hidden when it is closed, and gone only when the app ends. */
export class PageWindow {
  readonly #plan: WindowPlan;
  #window: BrowserWindow | null = null;
  #loaded: Promise<void> = Promise.resolve();
  #isComing = false;
  #mayClose = false;

  constructor(plan: WindowPlan) {
    this.#plan = plan;
  }

  /** Whether a person has it before them, or will in a moment. */
  get isInFront(): boolean {
    return this.#window !== null && (this.#isComing || this.#window.isFocused());
  }

  /** Tells the page something; nobody hears it while there is none. */
  send(channel: string, value?: unknown): void {
    this.#window?.webContents.send(channel, value);
  }

  /** As `send`, but once the page is there. */
  sendLoaded(channel: string, value?: unknown): void {
    void this.#loaded.then(() => this.send(channel, value));
  }

  /** Shows it in front; made now, at another address than its own if one is given. `false`: it was there already, wherever its page is. */
  show(address?: string): boolean {
    const window = this.#window;
    if (window === null) {
      this.#make(address ?? this.#plan.address);
      return true;
    }
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
    return false;
  }

  /** Hides it, then does what belongs to that. */
  hide(then: () => void = () => undefined): void {
    const window = this.#window;
    if (window === null) return;
    if (window.isFullScreen()) {
      // macOS would leave a black screen behind.
      window.once('leave-full-screen', () => this.hide(then));
      return window.setFullScreen(false);
    }
    this.#plan.remember(window);
    window.hide();
    then();
  }

  /** Lets it be closed, for the app ends. */
  release(): void {
    this.#mayClose = true;
    if (this.#window !== null) this.#plan.remember(this.#window);
  }

  #make(address: string): void {
    const window = new BrowserWindow({ ...this.#plan.options(), ...optionsOfAll() });
    this.#window = window;
    window.setMenuBarVisibility(false);
    this.#isComing = true;
    window.once('ready-to-show', () => this.#arrive(window));
    window.on('close', (event) => {
      this.#plan.remember(window);
      if (this.#mayClose) return;
      event.preventDefault();
      this.#plan.closing(window);
    });
    window.once('closed', () => (this.#window = null));
    window.on('query-session-end', (event) => {
      event.preventDefault();
      this.#plan.onSessionEnd();
    });
    offerEditing(window.webContents);
    window.webContents.on('render-process-gone', () => this.#replace(window));
    // What did not load says so itself, and is loaded anew by whoever wants to see it.
    this.#loaded = window.loadURL(`${PAGE_ORIGIN}${address}`).catch(() => undefined);
  }

  #arrive(window: BrowserWindow): void {
    this.#isComing = false;
    this.#plan.arrive(window);
    window.show();
  }

  /** A page that is gone leaves a white sheet. It is made anew where it was seen, unless it went before it was, or the app ends. */
  #replace(window: BrowserWindow): void {
    const isSeen = window.isVisible();
    window.destroy();
    if (isSeen && !this.#mayClose) this.show();
  }
}

/** The place where a window was last, as long as it can be seen there; otherwise only its size. */
export function placeOf(
  place: Place | null,
  size: Pick<Place, 'width' | 'height'>,
): Partial<Place> {
  const screens = screen.getAllDisplays().map(({ workArea }) => workArea);
  return place !== null && isOnScreen(place, screens) ? place : size;
}

/** What all windows are; nothing of it is ever another in one of them. */
function optionsOfAll(): BrowserWindowConstructorOptions {
  return {
    show: false,
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
