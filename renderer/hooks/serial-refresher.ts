/**
 * Runs a task on request: at once, but never twice at a time, and not again before an interval is over. Requests
 * meanwhile are served by one more run afterwards. The task must not reject.
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

  /** Starts no further run and aborts the current one. */
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
