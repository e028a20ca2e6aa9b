/** Initial and maximum number of tokens. A failure costs one. */
const MAX_TOKENS = 10;
/** Tokens that a success returns. */
const TOKENS_PER_ANSWER = 0.5;

/**
 * The budget of retries for a service: none while more than half of the tokens are spent, as in gRPC's retry throttling (A6). A service
 * that refuses everything gets few more calls than there are requests.
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
