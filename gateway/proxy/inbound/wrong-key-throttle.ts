/** Wrong local keys of one user agent in a minute, and of all together, that are answered at once. */
const AT_ONCE = 20;
const AT_ONCE_OF_ALL = 60;
const MINUTE_MS = 60_000;
/** Refusals that are held back at the same time. */
const MAX_WAITING = 1024;
/** Held refusals that are released within one delay, of all connections together. */
const RELEASED_PER_DELAY = 20;
/** User agents that are told apart, each by its first characters. */
const MAX_AGENTS = 200;
const AGENT_LENGTH = 200;

/** What is to be done with the refusal of a wrong key: answer it, or end its connection without an answer. */
export type Release = 'answer' | 'end';

/** A refusal that is held back. */
interface DelayedAnswer {
  /** Monotonic milliseconds. */
  readonly since: number;
  readonly resolve: (how: Release) => void;
}

/**
 * Makes guessing local keys slow: beyond a few in a minute each refusal is held back for the delay at least, and all connections together
 * get at most 20 of them within one delay, oldest first. At most 1,024 are held: one more ends the connection of the oldest. A valid key is
 * found before and never waits.
 */
export class WrongKeyThrottle {
  readonly #delayMs: number;
  /** By user agent, in the minute that runs. */
  readonly #counts = new Map<string, number>();
  #all = 0;
  #since = Number.NEGATIVE_INFINITY;
  /** Oldest first. */
  readonly #held = new Set<DelayedAnswer>();
  /** Runs while refusals are held. */
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(delayMs: number) {
    this.#delayMs = delayMs;
  }

  /** Whether this wrong key, which it counts, is one of too many, so that its refusal is to be held. */
  count(userAgent: string): boolean {
    const now = performance.now();
    if (now - this.#since >= MINUTE_MS) {
      this.#since = now;
      this.#all = 0;
      this.#counts.clear();
    }
    this.#all += 1;
    const name = userAgent.slice(0, AGENT_LENGTH);
    const agent = this.#counts.has(name) || this.#counts.size < MAX_AGENTS ? name : '';
    const count = (this.#counts.get(agent) ?? 0) + 1;
    this.#counts.set(agent, count);
    return count > AT_ONCE || this.#all > AT_ONCE_OF_ALL;
  }

  /** Holds a refusal back; resolves when its time has come, and with `end` when its client leaves. */
  async hold(signal: AbortSignal): Promise<Release> {
    if (this.#closed || signal.aborted) return 'end';
    const { promise, resolve } = Promise.withResolvers<Release>();
    const held: DelayedAnswer = { since: performance.now(), resolve };
    const leave = (): void => this.#release(held, 'end');
    signal.addEventListener('abort', leave);
    this.#held.add(held);
    const oldest = this.#oldest();
    if (this.#held.size > MAX_WAITING && oldest !== undefined) this.#release(oldest, 'end');
    this.#timer ??= setInterval(() => this.#releaseNext(), this.#delayMs / RELEASED_PER_DELAY);
    const how = await promise;
    signal.removeEventListener('abort', leave);
    return how;
  }

  /** Ends what is held, and holds nothing more. */
  close(): void {
    this.#closed = true;
    for (const held of this.#held) this.#release(held, 'end');
  }

  #oldest(): DelayedAnswer | undefined {
    return this.#held.values().next().value;
  }

  #releaseNext(): void {
    const oldest = this.#oldest();
    if (oldest === undefined || performance.now() - oldest.since < this.#delayMs) return;
    this.#release(oldest, 'answer');
  }

  #release(held: DelayedAnswer, how: Release): void {
    held.resolve(how);
    this.#held.delete(held);
    if (this.#held.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
