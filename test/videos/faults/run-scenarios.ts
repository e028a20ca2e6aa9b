import { buildBundle } from './bundle.ts';
import { type Feature, FEATURES } from './features.ts';
import { Points } from './points.ts';
import { runScenario } from './scenario.ts';
import { RunStats } from './run-stats.ts';

export interface ScenariosOptions {
  /** Runs of the engine in which something goes wrong, at least. */
  readonly runs: number;
  readonly seed: number;
  /** Stories told at the same time. */
  readonly atOnce: number;
  /** What is tried besides kills and cuts; all of it unless given. */
  readonly features?: readonly Feature[];
  /** Ends it before there were so many runs; stories that are being told are told to their end. */
  readonly stop?: AbortSignal;
  /** Called after each story. */
  readonly onScenario?: (stats: RunStats) => void;
}

/** Tells stories until the engine was killed or cut off often enough, or something was wrong. The same seed tells the same stories, but for what the clock decides. */
export async function runScenarios(options: ScenariosOptions): Promise<RunStats> {
  const { runs, seed, atOnce, stop, onScenario = () => {} } = options;
  const features = new Set(options.features ?? FEATURES);
  await using bundle = await buildBundle();
  // The first story goes well, so that it is known where something may go wrong.
  const calm = new Points();
  const stats = new RunStats();
  await runScenario({ bundle, seed, stats, points: calm, mostFaults: 0, features });
  let next = seed;
  const goesOn = () => stats.faulty < runs && stats.wrongs.length === 0 && stop?.aborted !== true;
  const work = async () => {
    while (goesOn()) {
      next += 1;
      const points = calm.copy();
      await runScenario({ bundle, seed: next, stats, points, mostFaults: MAX_FAULTS, features });
      onScenario(stats);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return stats;
}

const MAX_FAULTS = 10;
