import type { BrowserWindow } from 'electron';
import type { WindowStateFile } from './window-state.ts';
import { initialBounds } from './placement.ts';
import { PageWindow } from './page-window.ts';

const SIZE = { width: 480, height: 560 } as const;
/** A person who returns after more than this has another question. In milliseconds. */
const LEFT_MS = 10 * 60_000;

/** The small window for a quick question. It stays above other windows until it is closed, and does not count as a window of the app. */
export class QuickWindow {
  readonly #window: PageWindow;
  /** When it was hidden; `null` while it is shown. */
  #hiddenAt: number | null = null;

  /** `onSessionEnd`: Windows ends the session. */
  constructor(windowState: WindowStateFile, onSessionEnd: () => void) {
    this.#window = new PageWindow({
      address: '/quick',
      options: () => ({
        ...initialBounds(windowState.current.quickPlace, SIZE),
        minWidth: 400,
        minHeight: 320,
        alwaysOnTop: true,
        skipTaskbar: true,
        minimizable: false,
        maximizable: false,
        fullscreenable: false,
        // A panel leaves the previous program active, which gets the focus back.
        ...(process.platform === 'darwin' ? { type: 'panel' } : {}),
      }),
      onFirstShow: followDesktops,
      onClose: () => this.hide(),
      onSaveState: (window) => windowState.update({ quickPlace: window.getNormalBounds() }),
      onSessionEnd,
    });
  }

  /** Sends an event to the page, if there is one. */
  send(channel: string): void {
    this.#window.send(channel);
  }

  /** Shows it in front, ready for input: with its previous contents, or empty after a while. */
  show(): void {
    const isLeft = this.#hiddenAt !== null && Date.now() - this.#hiddenAt > LEFT_MS;
    this.#hiddenAt = null;
    if (this.#window.show()) return;
    this.#window.sendLoaded('gatehouse:quick', isLeft ? 'new' : 'on');
  }

  /** Hides it when it is in front, and shows it otherwise, for the shortcut. */
  toggle(): void {
    if (this.#window.mayBeInFront) this.hide();
    else this.show();
  }

  hide(): void {
    this.#hiddenAt ??= Date.now();
    this.#window.hide();
  }

  /** Allows it to be closed, because the app ends. */
  release(): void {
    this.#window.release();
  }
}

/** Places it on the display and desktop of the person. */
function followDesktops(window: BrowserWindow): void {
  if (process.platform === 'win32') return;
  window.setVisibleOnAllWorkspaces(true, {
    visibleOnFullScreen: true,
    skipTransformProcessType: true,
  });
}
