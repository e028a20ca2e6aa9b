import { Problem } from '../../../shared/problem.ts';

import { shuttingDownProblem } from '../../service-limit/limit-problems.ts';

/** Counts the exchanges in flight, limits their number and aborts them at shutdown. */
export class ConcurrencyLimit {
  readonly #max: number;
  readonly #counter = new InFlightCounter();
  /** Whether new exchanges are rejected because the proxy closes. */
  closing = false;
  readonly #abortController = new AbortController();

  constructor(max: number) {
    this.#max = max;
  }

  get running(): number {
    return this.#counter.count;
  }

  /** Is aborted when the exchanges in flight are cut. */
  get abortSignal(): AbortSignal {
    return this.#abortController.signal;
  }

  abortAll(): void {
    this.#abortController.abort();
  }

  begin(): void {
    this.#counter.add();
  }

  finish(): void {
    this.#counter.remove();
  }

  /** Why no exchange can be taken; `null` when one can. */
  readonly rejectionReason = (): Problem | null => {
    if (this.closing) {
      return shuttingDownProblem();
    }
    if (this.running > this.#max) {
      return new Problem(
        'too_many_exchanges',
        `More than ${this.#max} requests are running at once. Nothing was sent; wait for some to finish.`,
      );
    }
    return null;
  };

  /** Resolves when no exchange is running, or after `limitMs`. */
  async drain(limitMs: number): Promise<void> {
    await this.#counter.whenIdle(limitMs);
  }
}

/** Counts exchanges in flight and resolves when there are none. */
export class InFlightCounter {
  #count = 0;
  #waiting: (() => void)[] = [];

  get count(): number {
    return this.#count;
  }

  add(): void {
    this.#count += 1;
  }

  remove(): void {
    this.#count -= 1;
    if (this.#count > 0 || this.#waiting.length === 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Resolves when the count is 0, or after `limitMs`. */
  whenIdle(limitMs?: number): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = limitMs === undefined ? undefined : setTimeout(resolve, limitMs);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
