import { app, type BrowserWindow, dialog } from 'electron';
import { Dock } from '../dock.ts';
import type { WindowStateFile } from './window-state.ts';
import { initialBounds } from './placement.ts';
import { PageWindow } from './page-window.ts';

const SIZE = { width: 1280, height: 800 } as const;

/** The window with all screens. Closing it ends nothing, which is explained once. */
export class MainWindow {
  readonly #windowState: WindowStateFile;
  readonly #window: PageWindow;
  readonly #dock = new Dock();
  #isAsking = false;

  /** `onSessionEnd`: Windows ends the session. */
  constructor(windowState: WindowStateFile, onSessionEnd: () => void) {
    this.#windowState = windowState;
    this.#window = new PageWindow({
      address: '/',
      options: () => ({
        ...initialBounds(windowState.current.place, SIZE),
        minWidth: 400,
        minHeight: 480,
        // Alt shows the menu, which has About and Quit, because a desktop may show no tray.
        autoHideMenuBar: true,
      }),
      onFirstShow: (window) => {
        if (windowState.current.maximized) window.maximize();
      },
      onClose: (window) => void this.#hideOrQuit(window),
      onSaveState: (window) =>
        windowState.update({ place: window.getNormalBounds(), maximized: window.isMaximized() }),
      onSessionEnd,
    });
  }

  /** Whether it is in front of a person, or will be in a moment. */
  get isInFront(): boolean {
    return this.#window.isInFront;
  }

  /** Sends an event to the page, if there is one. */
  send(channel: string): void {
    this.#window.send(channel);
  }

  /** Shows the window in front, at one of the page's addresses if one is given. */
  show(address?: string): void {
    this.#dock.show();
    const isNew = this.#window.show(address);
    if (!isNew && address !== undefined) this.#window.sendLoaded('gatehouse:go', address);
  }

  /** Does not create the window until it is shown; the dock has no icon either. */
  stayHidden(): void {
    this.#dock.hide();
  }

  /** Allows it to be closed, because the app ends. */
  release(): void {
    this.#window.release();
  }

  async #hideOrQuit(window: BrowserWindow): Promise<void> {
    if (this.#isAsking) return;
    if (!this.#windowState.current.knowsClosing && (await this.#notifyOfClosing(window)))
      return app.quit();
    this.#window.hide(() => this.#dock.hide());
  }

  /** Whether the person wants to quit instead. */
  async #notifyOfClosing(window: BrowserWindow): Promise<boolean> {
    this.#isAsking = true;
    const { response } = await dialog.showMessageBox(window, {
      type: 'info',
      message: 'Gatehouse is still running',
      detail:
        'Your clients need it, so closing the window only hides it. Open it again from the tray, or by starting Gatehouse once more. To end Gatehouse, choose Quit in its tray menu, in Settings, or here.',
      buttons: ['Keep it running', 'Quit'],
      defaultId: 0,
      cancelId: 0,
    });
    this.#isAsking = false;
    this.#windowState.update({ knowsClosing: true });
    return response === 1;
  }
}
