import type { BrowserWindow } from 'electron';
import type { WindowStateFile } from './window-state.ts';
import { initialBounds } from './placement.ts';
import { PageWindow } from './page-window.ts';

const SIZE = { width: 480, height: 560 } as const;
/** A person who left it for longer comes back with another question. Milliseconds. */
const LEFT_MS = 10 * 60_000;

/** The small window for a question in between. It stays above the others until it is closed, and has no place among the windows of the app. */
export class QuickWindow {
  readonly #window: PageWindow;
  /** `null` while it is shown. */
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
        // Shown and hidden it leaves the program of before active, which gets the focus back.
        ...(process.platform === 'darwin' ? { type: 'panel' } : {}),
      }),
      arrive: followDesktops,
      closing: () => this.hide(),
      remember: (window) => windowState.update({ quickPlace: window.getNormalBounds() }),
      onSessionEnd,
    });
  }

  /** Tells the page something; nobody hears it while there is none. */
  send(channel: string): void {
    this.#window.send(channel);
  }

  /** Shows it in front, ready to be written in: with what was left there, or with nothing yet after a while. */
  show(): void {
    const isLeft = this.#hiddenAt !== null && Date.now() - this.#hiddenAt > LEFT_MS;
    this.#hiddenAt = null;
    if (this.#window.show()) return;
    this.#window.sendLoaded('gatehouse:quick', isLeft ? 'new' : 'on');
  }

  /** Hides it when it is in front, and shows it otherwise: what a shortcut does. */
  toggle(): void {
    if (this.#window.mayBeInFront) this.hide();
    else this.show();
  }

  hide(): void {
    this.#hiddenAt ??= Date.now();
    this.#window.hide();
  }

  /** Lets it be closed, for the app ends. */
  release(): void {
    this.#window.release();
  }
}

/** It comes where the person is, and does not take them to another desktop. */
function followDesktops(window: BrowserWindow): void {
  if (process.platform === 'win32') return;
  window.setVisibleOnAllWorkspaces(true, {
    visibleOnFullScreen: true,
    skipTransformProcessType: true,
  });
}
