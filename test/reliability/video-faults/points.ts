import type { Random } from '../../kit/random.ts';
import type { Entry, Fault } from './plan.ts';

/** The planned faults of one run. */
export interface RunFaults {
  readonly faults: readonly Fault[];
  readonly downMs: number;
  readonly killAfterMs: number | null;
}

const JOB_POINT = / of video_| file |^(?:GET|POST) (?:\/v1\/(?:files|videos)|the file)/u;
const MAX_DOWN_MS = 200;
const LATEST_KILL_MS = 600;
/** Maximum time of a run until its point is passed. */
const TIMEOUT_MS = 250;

/** The points where a fault may occur, as earlier runs have passed them. */
export class Points {
  /** Approximate maximum number of passes of each point in one run. */
  readonly #maxPasses = new Map<string, number>();

  copy(): Points {
    const copy = new Points();
    for (const [point, times] of this.#maxPasses) copy.#maxPasses.set(point, times);
    return copy;
  }

  learn(entries: readonly Entry[]): void {
    for (const entry of entries) {
      if (entry.is !== 'point') continue;
      const { point, nth } = entry;
      this.#maxPasses.set(point, Math.max(nth, this.#maxPasses.get(point) ?? 0));
    }
  }

  /** Returns the points in the life of a job. */
  get names(): readonly string[] {
    return [...this.#maxPasses.keys()].filter((name) => JOB_POINT.test(name)).toSorted();
  }

  /**
   * Picks the faults of a run: usually a kill at one of two points, or at a random moment when neither is passed; the network may be cut
   * before.
   */
  plan(random: Random): RunFaults {
    const atAnyMoment = random.is(0.1);
    const kills = Array.from({ length: atAnyMoment ? 0 : 2 }, () =>
      this.#fault('kill', this.names, random),
    );
    const requests = this.names.filter((name) => /^(?:GET|POST) /u.test(name));
    const cuts = Array.from({ length: random.is(0.4) ? 1 + random.below(3) : 0 }, () =>
      this.#fault('cut', requests, random),
    );
    return {
      faults: [...kills, ...cuts],
      downMs: random.below(MAX_DOWN_MS),
      killAfterMs: (atAnyMoment ? 0 : TIMEOUT_MS) + random.below(LATEST_KILL_MS),
    };
  }

  /** Early passes are the most frequent. */
  #fault(how: Fault['how'], names: readonly string[], random: Random): Fault {
    const point = random.pick(names);
    const most = this.#maxPasses.get(point) ?? 1;
    return { how, point, nth: 1 + Math.floor(random.next() ** 3 * most) };
  }
}
