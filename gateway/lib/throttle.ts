/** Four times a second is as often as eyes can follow. */
const INTERVAL_MS = 250;

/** Passes on that something happened, at once or when the pause after the last time is over. */
export class Throttle {
  readonly #tell: () => void;
  #pause: NodeJS.Timeout | null = null;
  #due = false;

  constructor(tell: () => void) {
    this.#tell = tell;
  }

  trigger(): void {
    this.#due = this.#pause !== null;
    if (this.#due) return;
    this.#pause = setTimeout(() => {
      this.#pause = null;
      if (this.#due) this.trigger();
    }, INTERVAL_MS).unref();
    this.#tell();
  }

  close(): void {
    if (this.#pause !== null) clearTimeout(this.#pause);
    this.#due = false;
  }
}
