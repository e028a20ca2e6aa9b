import type { BrowserWindow } from 'electron';
import type { Memory } from './memory.ts';
import { PageWindow, placeOf } from './window.ts';

const SIZE = { width: 480, height: 560 } as const;

/** The small window for a question in between. It stays above the others until it is closed, and has no place among the windows of the app. */
export class QuickWindow {
  readonly #window: PageWindow;

  /** `onSessionEnd`: Windows ends the session. */
  constructor(memory: Memory, onSessionEnd: () => void) {
    this.#window = new PageWindow({
      address: '/quick',
      options: () => ({
        ...placeOf(memory.now.quickPlace, SIZE),
        minWidth: 400,
        minHeight: 320,
        alwaysOnTop: true,
        skipTaskbar: true,
        minimizable: false,
        maximizable: false,
        fullscreenable: false,
      }),
      arrive: followDesktops,
      closing: () => this.hide(),
      remember: (window) => memory.keep({ quickPlace: window.getNormalBounds() }),
      onSessionEnd,
    });
  }

  /** Tells the page something; nobody hears it while there is none. */
  send(channel: string): void {
    this.#window.send(channel);
  }

  /** Shows it in front, ready to be written in. */
  show(): void {
    if (!this.#window.show()) this.#window.sendLoaded('gatehouse:quick');
  }

  /** Hides it when it is in front, and shows it otherwise: what a shortcut does. */
  toggle(): void {
    if (this.#window.isInFront) this.hide();
    else this.show();
  }

  hide(): void {
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
