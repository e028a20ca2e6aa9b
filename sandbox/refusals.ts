const TOKENS = 1000;

/** Counts, per scenario token, how often `rate-limit` has refused; forgets the oldest beyond 1,000 tokens. */
export class Refusals {
  readonly #counts = new Map<string, number>();

  count(token: string): number {
    return this.#counts.get(token) ?? 0;
  }

  add(token: string): void {
    const count = this.count(token) + 1;
    this.#counts.delete(token);
    this.#counts.set(token, count);
    if (this.#counts.size <= TOKENS) return;
    const [oldest] = this.#counts.keys();
    if (oldest !== undefined) this.#counts.delete(oldest);
  }

  clear(token: string): void {
    this.#counts.delete(token);
  }
}
