import { app } from 'electron';

/** A hiding within a second of the change before has no effect (Electron documentation, `dock.hide`). */
const AGAIN_MS = 1_100;

/** The app's entry in the dock of macOS, which is there while its window is; elsewhere there is none. */
export class Dock {
  #again: NodeJS.Timeout | undefined;

  show(): void {
    clearTimeout(this.#again);
    void app.dock?.show();
  }

  hide(): void {
    clearTimeout(this.#again);
    if (app.dock === undefined) return;
    app.dock.hide();
    this.#again = setTimeout(() => app.dock?.hide(), AGAIN_MS);
  }
}
