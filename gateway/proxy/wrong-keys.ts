import { setTimeout as wait } from 'node:timers/promises';

/** Wrong local keys of one user agent in a minute, and of all together, that are answered at once. */
const AT_ONCE = 20;
const AT_ONCE_OF_ALL = 60;
const MINUTE_MS = 60_000;
/** Answers that are held back at the same time; beyond that they are given at once, on a connection that ends. */
const MOST_HELD = 64;
/** User agents that are told apart. */
const MOST_AGENTS = 200;

/**
 * Makes guessing local keys slow: who sends many wrong ones waits for each answer. A valid key is found before and never waits. What is
 * held is bounded, so that guessing holds nobody else up.
 */
export class WrongKeys {
  readonly #delayMs: number;
  /** By user agent, in the minute that runs. */
  readonly #counts = new Map<string, number>();
  #all = 0;
  #since = Number.NEGATIVE_INFINITY;
  #held = 0;

  constructor(delayMs: number) {
    this.#delayMs = delayMs;
  }

  /**
   * Counts a wrong key and resolves when its refusal may be answered, at the latest when one of the signals is aborted. With `false` the
   * connection is to be ended with the answer: too many are held already.
   */
  async note(userAgent: string, signals: readonly AbortSignal[]): Promise<boolean> {
    if (!this.#count(userAgent)) return true;
    if (this.#held >= MOST_HELD) return false;
    this.#held += 1;
    await wait(this.#delayMs, undefined, { signal: AbortSignal.any([...signals]) }).catch(
      () => undefined,
    );
    this.#held -= 1;
    return true;
  }

  /** Whether it is one too many. */
  #count(userAgent: string): boolean {
    const now = performance.now();
    if (now - this.#since >= MINUTE_MS) {
      this.#since = now;
      this.#all = 0;
      this.#counts.clear();
    }
    this.#all += 1;
    const known = this.#counts.has(userAgent) || this.#counts.size < MOST_AGENTS;
    const agent = known ? userAgent : '';
    const count = (this.#counts.get(agent) ?? 0) + 1;
    this.#counts.set(agent, count);
    return count > AT_ONCE || this.#all > AT_ONCE_OF_ALL;
  }
}
