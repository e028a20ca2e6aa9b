import type { Log } from '../host.ts';
import type { Store } from '../store/store.ts';
import { finishErasing } from './erase.ts';
import { type Keeping, prune } from './prune.ts';
import type { TrustedClock } from '../trusted-clock.ts';
import { makeInTurn } from '../in-turn.ts';
import { pruneToSize } from './size.ts';
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
  /** Deletes what is too old or too much. Resolves with the number of exchanges. */
  prune(): Promise<number>;
  /** To be told how many rows were written: the size is looked at every so often. */
  noteWritten(count: number): void;
  /** Resolves when nothing runs any more, after its signal was aborted. */
  ended(): Promise<void>;
}

const PRUNE_EVERY_MS = 3_600_000;
/** Rows between two looks at the size. */
const SIZE_EVERY = 1_000;

/** Deletes what is too old, now and every hour, and puts older exchanges into the search index. What fails is logged. */
export function startUpkeep(options: UpkeepOptions): Upkeep {
  const { store, index, log, signal, onDeleted } = options;
  const attempt = async (complaint: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      log('warn', complaint, { reason: String(error) });
    }
  };
  const inTurn = makeInTurn();
  const told = async (work: () => Promise<number>): Promise<number> => {
    const deleted = await inTurn(work);
    if (deleted > 0) onDeleted();
    return deleted;
  };
  const deleteAll = () =>
    told(async () => (await deleteOld(options)) + (await deleteMost(options)));
  const complaint = 'Old exchanges could not be deleted.';
  const pruneOld = () => attempt(complaint, deleteAll);
  const eraseRest = () => index.mending(() => finishErasing(store, { index, signal }));
  let pruning = attempt('The history could not be erased.', eraseRest).then(pruneOld);
  let sizing: Promise<void> | null = null;
  let written = 0;
  const timer = setInterval(() => {
    pruning = pruneOld();
  }, PRUNE_EVERY_MS).unref();
  const fill = () =>
    attempt('Older exchanges could not be put into the search index.', () => index.fill(signal));
  let filling = fill();
  const stopFilling = index.renewed.add(() => {
    filling = filling.then(fill);
  });
  return {
    prune: deleteAll,
    noteWritten: (count) => {
      written += count;
      if (written < SIZE_EVERY || sizing !== null) return;
      written = 0;
      sizing = attempt(complaint, () => told(async () => await deleteMost(options))).finally(
        () => (sizing = null),
      );
    },
    ended: async () => {
      clearInterval(timer);
      stopFilling();
      await Promise.all([pruning, sizing, filling]);
    },
  };
}

/** Deletes what is older than it is to be kept. Resolves with the number of exchanges. */
async function deleteOld({
  store,
  index,
  clock,
  log,
  keep,
  signal,
}: UpkeepOptions): Promise<number> {
  const keeping = keep();
  const now = clock.now();
  const exchanges = await index.mending(() => prune(store, { keeping, now, index, signal }));
  await clock.save();
  if (exchanges > 0) {
    log('info', 'Exchanges were deleted for their age.', {
      exchanges,
      olderThanDays: keeping.days,
    });
  }
  return exchanges;
}

/** Deletes what is more than the database may hold. Resolves with the number of exchanges. */
async function deleteMost({ store, index, log, keep, signal }: UpkeepOptions): Promise<number> {
  const { bytes } = keep();
  if (bytes === undefined) return 0;
  const exchanges = await index.mending(() => pruneToSize(store, { bytes, index, signal }));
  if (exchanges > 0) {
    log('info', 'Exchanges were deleted to keep the database as small as it is set.', {
      exchanges,
      bytes,
    });
  }
  return exchanges;
}
