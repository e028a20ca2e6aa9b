import type { Random } from '../../kit/random.ts';
import type { Feature } from './features.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const FORWARD = [11 * MINUTE_MS, 2 * 60 * MINUTE_MS, 40 * DAY_MS] as const;
const BACK = [-11 * MINUTE_MS, -DAY_MS] as const;
/** Share of scenarios whose clock moves, and share of their runs that begin with a move. */
const MOVING = 0.3;
const MOVES = 0.3;

/** The engine's clock as a scenario sets it. */
export class Clock {
  readonly #random: Random;
  readonly #waits: boolean;
  readonly #moves: boolean;
  #aheadMs = 0;

  constructor(random: Random, features: ReadonlySet<Feature>) {
    this.#random = random;
    this.#waits = features.has('waiting');
    this.#moves = features.has('clocks') && random.is(MOVING);
  }

  /** Milliseconds that it is ahead of this machine's clock. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /**
   * Moves the clock in some of the runs and returns a description. It moves forward only with `mayForget`: when no client waits for the
   * response to a settled order, which counts as identical for ten minutes only.
   */
  move(when: 'between' | 'while one waits', mayForget: boolean): string | null {
    if (when === 'while one waits') {
      return this.#waits && mayForget ? this.#by(FORWARD[0], 'while the same order waits') : null;
    }
    if (!this.#moves || !this.#random.is(MOVES)) return null;
    const by = this.#random.pick([...FORWARD, ...BACK]);
    if (by > 0 && !mayForget) return null;
    return this.#by(by, 'between two runs');
  }

  #by(ms: number, when: string): string {
    this.#aheadMs += ms;
    const minutes = Math.abs(ms) / MINUTE_MS;
    return `clock set ${ms > 0 ? 'forward' : 'back'} by ${minutes.toLocaleString('en')} minutes ${when}`;
  }
}
