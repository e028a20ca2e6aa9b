import { buildBundle } from './bundle.ts';
import { type Feature, FEATURES } from './features.ts';
import { Points } from './points.ts';
import { runScenario } from './scenario.ts';
import { RunStats } from './run-stats.ts';

export interface ScenariosOptions {
  /** Minimum number of runs of the engine with a fault. */
  readonly runs: number;
  readonly seed: number;
  /** Number of concurrent scenarios. */
  readonly atOnce: number;
  /** Features besides kills and cuts; all by default. */
  readonly features?: readonly Feature[];
  /** Ends early; scenarios that have started are completed. */
  readonly stop?: AbortSignal;
  /** Called after each scenario. */
  readonly onScenario?: (stats: RunStats) => void;
}

/**
 * Runs scenarios until the engine was killed or cut off often enough, or an error was found. A seed always gives equal scenarios, apart
 * from effects of timing.
 */
export async function runScenarios(options: ScenariosOptions): Promise<RunStats> {
  const { runs, seed, atOnce, stop, onScenario = () => {} } = options;
  const features = new Set(options.features ?? FEATURES);
  await using bundle = await buildBundle();
  // The first scenario has no faults, so that it discovers the points.
  const calm = new Points();
  const stats = new RunStats();
  await runScenario({ bundle, seed, stats, points: calm, maxFaults: 0, features });
  let next = seed;
  const goesOn = () => stats.faulty < runs && stats.errors.length === 0 && stop?.aborted !== true;
  const work = async () => {
    while (goesOn()) {
      next += 1;
      const points = calm.copy();
      await runScenario({ bundle, seed: next, stats, points, maxFaults: MAX_FAULTS, features });
      onScenario(stats);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return stats;
}

const MAX_FAULTS = 10;
