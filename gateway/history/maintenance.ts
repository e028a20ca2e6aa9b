import { Mutex } from 'async-mutex';
import type { Log } from '../host.ts';
import type { Store } from '../store/store.ts';
import { finishErase } from './erase.ts';
import { type RetentionPolicy, prune } from './prune.ts';
import type { TrustedClock } from '../store/trusted-clock.ts';
import { pruneToSize } from './prune-to-size.ts';
import type { SearchIndex } from './search-index.ts';

/** By which exchanges are deleted for their age. */
export type HistoryClock = Pick<TrustedClock, 'now' | 'behind' | 'save'>;

export interface MaintenanceOptions {
  readonly store: Store;
  readonly index: SearchIndex;
  readonly clock: HistoryClock;
  readonly log: Log;
  readonly getRetention: () => RetentionPolicy;
  /** Told when exchanges were deleted. */
  readonly onDeleted: () => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

export interface Maintenance {
  /** Deletes what is too old or too much. Resolves with the number of exchanges. */
  prune(): Promise<number>;
  /** To be told how many rows were written: the size is looked at every so often. */
  onWritten(count: number): void;
  /** Resolves when nothing runs any more, after its signal was aborted. */
  whenEnded(): Promise<void>;
}

const PRUNE_INTERVAL_MS = 3_600_000;
/** Rows between two looks at the size. */
const SIZE_CHECK_ROWS = 1_000;

/** Deletes what is too old, now and every hour, and puts older exchanges into the search index. What fails is logged. */
export function startMaintenance(options: MaintenanceOptions): Maintenance {
  const { store, index, log, signal, onDeleted } = options;
  const tryOrLog = async (message: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      log('warn', message, { reason: String(error) });
    }
  };
  const mutex = new Mutex();
  const runAndNotify = async (work: () => Promise<number>): Promise<number> => {
    const deleted = await mutex.runExclusive(work);
    if (deleted > 0) onDeleted();
    return deleted;
  };
  const deleteAll = () =>
    runAndNotify(async () => (await deleteOld(options)) + (await deleteExcess(options)));
  const message = 'Old exchanges could not be deleted.';
  const pruneOld = () => tryOrLog(message, deleteAll);
  const finishErasure = () => index.rebuildOnDamage(() => finishErase(store, { index, signal }));
  let pruning = tryOrLog('The history could not be erased.', finishErasure).then(pruneOld);
  let sizing: Promise<void> | null = null;
  let written = 0;
  const timer = setInterval(() => {
    pruning = pruneOld();
  }, PRUNE_INTERVAL_MS).unref();
  const fill = () =>
    tryOrLog('Older exchanges could not be put into the search index.', () => index.fill(signal));
  let filling = fill();
  const stopFilling = index.rebuilt.add(() => {
    filling = filling.then(fill);
  });
  return {
    prune: deleteAll,
    onWritten: (count) => {
      written += count;
      if (written < SIZE_CHECK_ROWS || sizing !== null) return;
      written = 0;
      sizing = tryOrLog(message, () =>
        runAndNotify(async () => await deleteExcess(options)),
      ).finally(() => (sizing = null));
    },
    whenEnded: async () => {
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
  getRetention,
  signal,
}: MaintenanceOptions): Promise<number> {
  const retention = getRetention();
  const now = clock.now();
  const exchanges = await index.rebuildOnDamage(() =>
    prune(store, { retention, now, index, signal }),
  );
  await clock.save();
  if (exchanges > 0) {
    log('info', 'Exchanges were deleted for their age.', {
      exchanges,
      olderThanDays: retention.days,
    });
  }
  return exchanges;
}

/** Deletes what is more than the database may hold. Resolves with the number of exchanges. */
async function deleteExcess({
  store,
  index,
  log,
  getRetention,
  signal,
}: MaintenanceOptions): Promise<number> {
  const { bytes } = getRetention();
  if (bytes === undefined) return 0;
  const exchanges = await index.rebuildOnDamage(() => pruneToSize(store, { bytes, index, signal }));
  if (exchanges > 0) {
    log('info', 'Exchanges were deleted to keep the database as small as it is set.', {
      exchanges,
      bytes,
    });
  }
  return exchanges;
}
