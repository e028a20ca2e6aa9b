import { app } from 'electron';

/** Hiding within a second of the previous change has no effect (Electron documentation, `dock.hide`). */
const AGAIN_MS = 1_100;

/** The app's icon in the dock of macOS, which is shown while its window is; other systems have none. */
export class Dock {
  #retryTimer: NodeJS.Timeout | undefined;
  #isHidden = false;

  /**
   * Shows the icon unless it is shown: for that, Electron moves the focus to the dock and back, and hiding has no effect for the next
   * second. `isVisible()` may report a change late.
   */
  show(): void {
    clearTimeout(this.#retryTimer);
    if (app.dock === undefined || (app.dock.isVisible() && !this.#isHidden)) return;
    this.#isHidden = false;
    void app.dock.show();
  }

  hide(): void {
    clearTimeout(this.#retryTimer);
    if (app.dock === undefined) return;
    this.#isHidden = true;
    app.dock.hide();
    this.#retryTimer = setTimeout(() => app.dock?.hide(), AGAIN_MS);
  }
}
