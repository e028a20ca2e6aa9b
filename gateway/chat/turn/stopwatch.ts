/** The times of one answer, in milliseconds of the monotonic clock. */
export class Stopwatch {
  #startedAt: number | null = null;
  #firstAt: number | null = null;
  #lastAt: number | null = null;

  /** The request leaves. */
  start(): void {
    this.#startedAt = performance.now();
  }

  /** Something of the answer came. */
  recordDelta(): void {
    this.#lastAt = performance.now();
    this.#firstAt ??= this.#lastAt;
  }

  get firstTokenMs(): number | null {
    return subtract(this.#startedAt, this.#firstAt);
  }

  /** Since the request left. */
  get durationMs(): number | null {
    return subtract(this.#startedAt, performance.now());
  }

  /** Between first and last piece; `null` when there was one at most. */
  perSecond(tokens: number | null): number | null {
    const ms = subtract(this.#firstAt, this.#lastAt);
    return tokens === null || ms === null || ms === 0 ? null : (tokens * 1000) / ms;
  }
}

function subtract(from: number | null, to: number | null): number | null {
  return from === null || to === null ? null : to - from;
}
