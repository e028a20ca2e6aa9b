import { Mutex } from 'async-mutex';
import type { Log } from '../../host.ts';
import type { Store } from '../../store/store.ts';
import { finishErase } from './erase.ts';
import { type RetentionPolicy, prune } from './prune.ts';
import type { TrustedClock } from '../../store/trusted-clock.ts';
import { pruneToSize } from './prune-to-size.ts';
import type { SearchIndex } from '../search/search-index.ts';

/** Clock for deletion by age. */
export type HistoryClock = Pick<TrustedClock, 'now' | 'behind' | 'save'>;

export interface MaintenanceOptions {
  readonly store: Store;
  readonly index: SearchIndex;
  readonly clock: HistoryClock;
  readonly log: Log;
  readonly getRetention: () => RetentionPolicy;
  /** Called when exchanges were deleted. */
  readonly onDeleted: () => void;
  /** Stops the maintenance. */
  readonly signal: AbortSignal;
}

export interface Maintenance {
  /** Deletes what exceeds the retention policy. Resolves with the number of exchanges. */
  prune(): Promise<number>;
  /** Must be called with the number of rows written: the size is checked every 1,000 rows. */
  onWritten(count: number): void;
  /** Resolves when nothing runs any more, after the signal was aborted. */
  whenEnded(): Promise<void>;
}

const PRUNE_INTERVAL_MS = 3_600_000;
/** Rows between two checks of the size. */
const SIZE_CHECK_ROWS = 1_000;

/** Deletes expired exchanges, now and every hour, and adds older exchanges to the search index. Logs failures. */
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
    tryOrLog('Older exchanges could not be added to the search index.', () => index.fill(signal));
  let filling = fill();
  const stopFilling = index.rebuilt.on(() => {
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

/** Deletes expired exchanges. Resolves with their number. */
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
    log('info', 'Old exchanges were deleted.', {
      exchanges,
      olderThanDays: retention.days,
    });
  }
  return exchanges;
}

/** Deletes the exchanges beyond the maximum size of the database. Resolves with their number. */
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
    log('info', 'Exchanges were deleted to keep the database within its size limit.', {
      exchanges,
      bytes,
    });
  }
  return exchanges;
}
