/** The times of one answer, in milliseconds of the monotonic clock. */
export class Stopwatch {
  #startedAt: number | null = null;
  #firstAt: number | null = null;
  #lastAt: number | null = null;

  /** Starts the clock when the request is sent. */
  start(): void {
    this.#startedAt = performance.now();
  }

  /** Records the arrival of a part of the answer. */
  recordDelta(): void {
    this.#lastAt = performance.now();
    this.#firstAt ??= this.#lastAt;
  }

  get firstTokenMs(): number | null {
    return subtract(this.#startedAt, this.#firstAt);
  }

  /** Milliseconds since the request was sent. */
  get durationMs(): number | null {
    return subtract(this.#startedAt, performance.now());
  }

  /** Returns tokens per second between the first and the last part; `null` when there was at most one part. */
  perSecond(tokens: number | null): number | null {
    const ms = subtract(this.#firstAt, this.#lastAt);
    return tokens === null || ms === null || ms === 0 ? null : (tokens * 1000) / ms;
  }
}

function subtract(from: number | null, to: number | null): number | null {
  return from === null || to === null ? null : to - from;
}
