/**
 * Does one thing when asked: at once, but never twice at a time and not again before a pause is over. Whoever asks meanwhile is
 * served by one more time afterwards. The thing itself must not reject.
 */
export class SerialRefresher {
  readonly #task: (signal: AbortSignal) => Promise<void>;
  readonly #pauseMs: number;
  readonly #closing = new AbortController();
  #isRequested = false;
  #busy = false;

  constructor(task: (signal: AbortSignal) => Promise<void>, pauseMs: number) {
    this.#task = task;
    this.#pauseMs = pauseMs;
  }

  readonly request = (): void => {
    this.#isRequested = true;
    if (!this.#busy) void this.#run();
  };

  /** Nothing is begun any more, and what runs is told to stop. */
  close(): void {
    this.#closing.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    this.#busy = true;
    while (this.#isRequested && !signal.aborted) {
      this.#isRequested = false;
      await this.#task(signal);
      await new Promise((resolve) => setTimeout(resolve, this.#pauseMs));
    }
    this.#busy = false;
  }
}
