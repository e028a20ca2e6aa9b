import { Refusal } from './errors.ts';

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

export function tooMany(): Refusal {
  return new Refusal({
    status: 429,
    code: 'rate_limit_exceeded',
    message: 'Too many requests. Wait and try again.',
    headers: { 'retry-after': '1' },
  });
}

export function broken(): Refusal {
  return new Refusal({ status: 500, code: 'server_error', message: 'The server had an error.' });
}
