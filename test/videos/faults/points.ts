import type { Chance } from './chance.ts';
import type { Entry, Fault } from './plan.ts';

/** What goes wrong in one run. */
export interface RunFaults {
  readonly faults: readonly Fault[];
  readonly downMs: number;
  readonly killAfterMs: number | null;
}

const JOB_POINT = / of video_| file |^(?:GET|POST) (?:\/v1\/(?:files|videos)|the file)/u;
const MAX_DOWN_MS = 200;
const LATEST_KILL_MS = 600;
/** So long a run may take until its point is passed. */
const TIMEOUT_MS = 250;

/** The places where something may go wrong, as runs so far have passed them. */
export class Points {
  /** About how often one run has passed each, at most. */
  readonly #most = new Map<string, number>();

  copy(): Points {
    const copy = new Points();
    for (const [point, times] of this.#most) copy.#most.set(point, times);
    return copy;
  }

  learn(entries: readonly Entry[]): void {
    for (const entry of entries) {
      if (entry.is !== 'point') continue;
      const { point, nth } = entry;
      this.#most.set(point, Math.max(nth, this.#most.get(point) ?? 0));
    }
  }

  /** Those in the life of a job. */
  get names(): readonly string[] {
    return [...this.#most.keys()].filter((name) => JOB_POINT.test(name)).toSorted();
  }

  /** Most often the engine is killed at one of two points, or at any moment when neither is passed; before, the network may be cut. */
  plan(chance: Chance): RunFaults {
    const atAnyMoment = chance.is(0.1);
    const kills = Array.from({ length: atAnyMoment ? 0 : 2 }, () =>
      this.#fault('kill', this.names, chance),
    );
    const requests = this.names.filter((name) => /^(?:GET|POST) /u.test(name));
    const cuts = Array.from({ length: chance.is(0.4) ? 1 + chance.below(3) : 0 }, () =>
      this.#fault('cut', requests, chance),
    );
    return {
      faults: [...kills, ...cuts],
      downMs: chance.below(MAX_DOWN_MS),
      killAfterMs: (atAnyMoment ? 0 : TIMEOUT_MS) + chance.below(LATEST_KILL_MS),
    };
  }

  /** The first times are passed most often. */
  #fault(how: Fault['how'], names: readonly string[], chance: Chance): Fault {
    const point = chance.pick(names);
    const most = this.#most.get(point) ?? 1;
    return { how, point, nth: 1 + Math.floor(chance.next() ** 3 * most) };
  }
}
