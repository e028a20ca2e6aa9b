import { Problem } from '../../shared/problem.ts';
import { Attendance } from './attendance.ts';
import { shuttingDown } from './turned-away.ts';

/** The exchanges on their way, and whether another one can be taken. */
export class Traffic {
  readonly #most: number;
  readonly #inside = new Attendance();
  /** No new exchange is taken. */
  closing = false;
  readonly #cutting = new AbortController();

  constructor(most: number) {
    this.#most = most;
  }

  get running(): number {
    return this.#inside.inside;
  }

  /** Aborted when what still runs is being ended. */
  get cutting(): AbortSignal {
    return this.#cutting.signal;
  }

  cut(): void {
    this.#cutting.abort();
  }

  begin(): void {
    this.#inside.enter();
  }

  finish(): void {
    this.#inside.leave();
  }

  /** Why no exchange can be taken; `null` when one can. */
  turnedAway(): Problem | null {
    if (this.closing) {
      return shuttingDown();
    }
    if (this.running > this.#most) {
      return new Problem(
        'too_many_exchanges',
        `More than ${this.#most} requests are running at once. Nothing was sent; wait for some to finish.`,
      );
    }
    return null;
  }

  /** Resolves when no exchange is running, or after `limitMs`. */
  async quiet(limitMs: number): Promise<void> {
    await this.#inside.empty(limitMs);
  }
}
