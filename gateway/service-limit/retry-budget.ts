/** Tokens at first and at most; a failure costs one. */
const MAX_TOKENS = 10;
/** A good answer gives so much back. */
const TOKENS_PER_ANSWER = 0.5;

/**
 * The repetitions that one service gets: none while more than half of the tokens are spent, as in gRPC's retry throttling (A6). So
 * a service that only refuses gets few more calls than there are requests.
 */
export class RetryBudget {
  #tokens = MAX_TOKENS;

  get allows(): boolean {
    return this.#tokens > MAX_TOKENS / 2;
  }

  failed(): void {
    this.#tokens = Math.max(0, this.#tokens - 1);
  }

  answered(): void {
    this.#tokens = Math.min(MAX_TOKENS, this.#tokens + TOKENS_PER_ANSWER);
  }
}
