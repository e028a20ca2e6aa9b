import { makeBundle } from './bundle.ts';
import { type Feature, FEATURES } from './features.ts';
import { Points } from './points.ts';
import { tellStory } from './story.ts';
import { Tally } from './tally.ts';

export interface HarnessOptions {
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
  readonly onStory?: (tally: Tally) => void;
}

/** Tells stories until the engine was killed or cut off often enough, or something was wrong. The same seed tells the same stories, but for what the clock decides. */
export async function tellStories(options: HarnessOptions): Promise<Tally> {
  const { runs, seed, atOnce, stop, onStory = () => {} } = options;
  const features = new Set(options.features ?? FEATURES);
  await using bundle = await makeBundle();
  // The first story goes well, so that it is known where something may go wrong.
  const calm = new Points();
  const tally = new Tally();
  await tellStory({ bundle, seed, tally, points: calm, mostFaults: 0, features });
  let next = seed;
  const goesOn = () => tally.faulty < runs && tally.wrongs.length === 0 && stop?.aborted !== true;
  const work = async () => {
    while (goesOn()) {
      next += 1;
      const points = calm.copy();
      await tellStory({ bundle, seed: next, tally, points, mostFaults: MOST_FAULTS, features });
      onStory(tally);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return tally;
}

const MOST_FAULTS = 10;
