import type { Log } from '../host.ts';
import type { Store } from '../store/store.ts';
import { finishErasing } from './erase.ts';
import { type Keeping, prune } from './prune.ts';
import type { TrustedClock } from '../trusted-clock.ts';
import type { SearchIndex } from './search-index.ts';

/** By which exchanges are deleted for their age. */
export type HistoryClock = Pick<TrustedClock, 'now' | 'behind' | 'save'>;

export interface UpkeepOptions {
  readonly store: Store;
  readonly index: SearchIndex;
  readonly clock: HistoryClock;
  readonly log: Log;
  readonly keep: () => Keeping;
  /** Told when exchanges were deleted. */
  readonly onDeleted: () => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

export interface Upkeep {
  /** Deletes what is too old. Resolves with the number of exchanges. */
  prune(): Promise<number>;
  /** Resolves when nothing runs any more, after its signal was aborted. */
  ended(): Promise<void>;
}

const PRUNE_EVERY_MS = 3_600_000;

/** Deletes what is too old, now and every hour, and puts older exchanges into the search index. What fails is logged. */
export function startUpkeep(options: UpkeepOptions): Upkeep {
  const { store, index, clock, log, keep, signal, onDeleted } = options;
  const attempt = async (complaint: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      log('warn', complaint, { reason: String(error) });
    }
  };
  const deleteOld = async (): Promise<number> => {
    const keeping = keep();
    const deleted = await prune(store, { keeping, now: clock.now(), index, signal });
    await clock.save();
    if (deleted === 0) return 0;
    log('info', 'Exchanges were deleted for their age.', {
      exchanges: deleted,
      olderThanDays: keeping.days,
    });
    onDeleted();
    return deleted;
  };
  const pruneOld = () => attempt('Old exchanges could not be deleted.', deleteOld);
  const eraseRest = () => finishErasing(store, { index, signal });
  let pruning = attempt('The history could not be erased.', eraseRest).then(pruneOld);
  const timer = setInterval(() => {
    pruning = pruneOld();
  }, PRUNE_EVERY_MS).unref();
  const fill = () => index.fill(signal);
  const filling = attempt('Older exchanges could not be put into the search index.', fill);
  return {
    prune: deleteOld,
    ended: async () => {
      clearInterval(timer);
      await Promise.all([pruning, filling]);
    },
  };
}
