import { app } from 'electron';

/** A hiding within a second of the change before has no effect (Electron documentation, `dock.hide`). */
const AGAIN_MS = 1_100;

/** The app's entry in the dock of macOS, which is there while its window is; elsewhere there is none. */
export class Dock {
  #again: NodeJS.Timeout | undefined;
  #isHidden = false;

  /**
   * Shows it, unless it is there: Electron hands the focus to the dock and back for that, and makes every hiding of the next second
   * useless. `isVisible()` may tell of a hiding a moment late.
   */
  show(): void {
    clearTimeout(this.#again);
    if (app.dock === undefined || (app.dock.isVisible() && !this.#isHidden)) return;
    this.#isHidden = false;
    void app.dock.show();
  }

  hide(): void {
    clearTimeout(this.#again);
    if (app.dock === undefined) return;
    this.#isHidden = true;
    app.dock.hide();
    this.#again = setTimeout(() => app.dock?.hide(), AGAIN_MS);
  }
}
