/** People can follow about four updates a second. */
const INTERVAL_MS = 250;

/** Calls a function at most four times a second: at once, and again at the end of the interval when it was triggered meanwhile. */
export class Throttle {
  readonly #callback: () => void;
  #timer: NodeJS.Timeout | null = null;
  #isDue = false;

  constructor(callback: () => void) {
    this.#callback = callback;
  }

  /** Calls the function now or at the end of the interval. The function may trigger itself again. */
  trigger(): void {
    this.#isDue = this.#timer !== null;
    if (this.#isDue) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#isDue) this.trigger();
    }, INTERVAL_MS).unref();
    this.#callback();
  }

  /** Cancels a pending call. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#isDue = false;
  }
}
