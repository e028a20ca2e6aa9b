/** Whether clients are turned away for now. A start is never paused. */
export class PauseState {
  readonly #onFlip: () => void;
  #paused = false;

  constructor(onFlip: () => void) {
    this.#onFlip = onFlip;
  }

  get paused(): boolean {
    return this.#paused;
  }

  set(paused: boolean): void {
    if (paused === this.#paused) return;
    this.#paused = paused;
    this.#onFlip();
  }
}
