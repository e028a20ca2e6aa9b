/**
 * Does one thing when asked: at once, but never twice at a time and not again before a pause is over. Whoever asks meanwhile is
 * served by one more time afterwards. The thing itself must not reject.
 */
export class Steady {
  readonly #task: (signal: AbortSignal) => Promise<void>;
  readonly #pauseMs: number;
  readonly #closing = new AbortController();
  #asked = false;
  #busy = false;

  constructor(task: (signal: AbortSignal) => Promise<void>, pauseMs: number) {
    this.#task = task;
    this.#pauseMs = pauseMs;
  }

  readonly ask = (): void => {
    this.#asked = true;
    if (!this.#busy) void this.#serve();
  };

  /** Nothing is begun any more, and what runs is told to stop. */
  close(): void {
    this.#closing.abort();
  }

  async #serve(): Promise<void> {
    const { signal } = this.#closing;
    this.#busy = true;
    while (this.#asked && !signal.aborted) {
      this.#asked = false;
      await this.#task(signal);
      await new Promise((resolve) => setTimeout(resolve, this.#pauseMs));
    }
    this.#busy = false;
  }
}
