import type { CancelSignal } from '../../http/cancel-signal.ts';

/** Wrong local keys per minute that are answered at once: of one user agent, and of all together. */
const MAX_IMMEDIATE_PER_AGENT = 20;
const MAX_IMMEDIATE = 60;
const MINUTE_MS = 60_000;
/** Maximum of refusals that are delayed at the same time. */
const MAX_WAITING = 1024;
/** Delayed refusals that are released within one delay, over all connections. */
const RELEASED_PER_DELAY = 20;
/** User agents that are counted apart, each by its first characters. */
const MAX_AGENTS = 200;
const AGENT_LENGTH = 200;

/** How the delay of a refusal ends: it is sent, or its connection is closed without an answer. */
export type Release = 'answer' | 'end';

/** A refusal that is delayed. */
interface DelayedRefusal {
  /** Monotonic milliseconds. */
  readonly since: number;
  readonly resolve: (how: Release) => void;
}

/**
 * Slows down guessing of local keys. After a few wrong keys in a minute each refusal is delayed, and all connections together get at
 * most 20 refusals within one delay, oldest first. At most 1,024 are delayed: one more closes the connection of the oldest. Requests with
 * a valid key are never delayed.
 */
export class WrongKeyThrottle {
  readonly #delayMs: number;
  /** Wrong keys of the present minute, by user agent. */
  readonly #counts = new Map<string, number>();
  #total = 0;
  #since = Number.NEGATIVE_INFINITY;
  /** Oldest first. */
  readonly #delayed = new Set<DelayedRefusal>();
  /** Runs while refusals are delayed. */
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(delayMs: number) {
    this.#delayMs = delayMs;
  }

  /** Counts a wrong key. Returns whether its refusal must be delayed. */
  count(userAgent: string): boolean {
    const now = performance.now();
    if (now - this.#since >= MINUTE_MS) {
      this.#since = now;
      this.#total = 0;
      this.#counts.clear();
    }
    this.#total += 1;
    const name = userAgent.slice(0, AGENT_LENGTH);
    const agent = this.#counts.has(name) || this.#counts.size < MAX_AGENTS ? name : '';
    const count = (this.#counts.get(agent) ?? 0) + 1;
    this.#counts.set(agent, count);
    return count > MAX_IMMEDIATE_PER_AGENT || this.#total > MAX_IMMEDIATE;
  }

  /** Delays a refusal. Resolves with `end` when its client leaves first. */
  async delay(signal: CancelSignal): Promise<Release> {
    if (this.#closed || signal.aborted) return 'end';
    const { promise, resolve } = Promise.withResolvers<Release>();
    const refusal: DelayedRefusal = { since: performance.now(), resolve };
    const leave = (): void => this.#release(refusal, 'end');
    signal.addEventListener('abort', leave);
    this.#delayed.add(refusal);
    const oldest = this.#oldest();
    if (this.#delayed.size > MAX_WAITING && oldest !== undefined) this.#release(oldest, 'end');
    this.#timer ??= setInterval(() => this.#releaseNext(), this.#delayMs / RELEASED_PER_DELAY);
    const how = await promise;
    signal.removeEventListener('abort', leave);
    return how;
  }

  /** Ends all delays, and delays nothing more. */
  close(): void {
    this.#closed = true;
    for (const refusal of this.#delayed) this.#release(refusal, 'end');
  }

  #oldest(): DelayedRefusal | undefined {
    return this.#delayed.values().next().value;
  }

  #releaseNext(): void {
    const oldest = this.#oldest();
    if (oldest === undefined || performance.now() - oldest.since < this.#delayMs) return;
    this.#release(oldest, 'answer');
  }

  #release(refusal: DelayedRefusal, how: Release): void {
    refusal.resolve(how);
    this.#delayed.delete(refusal);
    if (this.#delayed.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
