import { Mutex } from 'async-mutex';
import type { DatabaseName } from '../store/store.ts';
import { MAX_COPIES, listCopies, createCopy, removeCopies } from './copies.ts';
import type { BackupDeps } from './deps.ts';

/** Makes copies regularly while Gatehouse runs. */
export interface DailyCopies {
  /**
   * Runs `work`, which erases deleted data from the file of the conversations, while no copy is being made, and then removes
   * the copies, because they still contain that data. A new copy is made a moment later.
   */
  purgeWith(this: void, work: () => Promise<void>): Promise<void>;
  /** Waits for a copy in progress, and makes no more. */
  close(): Promise<void>;
}

const DAY_MS = 24 * 3_600_000;
const CHECK_INTERVAL_MS = 3_600_000;
/** Interval between the first copies, on the day when the folder is new: each check makes one, restarts do not add more. */
const FIRST_INTERVAL_MS = CHECK_INTERVAL_MS / 2;
const DATABASES: readonly DatabaseName[] = ['gatehouse', 'chat'];

/**
 * Copies each database after `delayMs`, then each hour until there are three copies, then once a day. Logs a copy that fails.
 */
export function startDailyCopies(deps: BackupDeps, delayMs = 0): DailyCopies {
  const { dataDir, now, log } = deps;
  const mutex = new Mutex();
  let ended = false;
  let waiting = false;
  const copyIfDue = async (database: DatabaseName): Promise<void> => {
    const copies = (await listCopies(dataDir)).filter((copy) => copy.database === database);
    const [latest] = copies;
    const restMs = copies.length < MAX_COPIES ? FIRST_INTERVAL_MS : DAY_MS;
    // A clock that was set back must not stop the copies.
    if (latest !== undefined && Math.abs(now() - latest.at) < restMs) return;
    await createCopy(deps, database);
  };
  const copyAllDue = async (): Promise<void> => {
    waiting = false;
    for (const database of DATABASES) {
      if (ended) return;
      await copyIfDue(database).catch((error: unknown) =>
        log('warn', `No copy of ${database}.db could be made.`, { reason: String(error) }),
      );
    }
  };
  const schedule = (): void => {
    // Checks run one after the other, and at most one waits.
    if (!waiting) void mutex.runExclusive(copyAllDue);
    waiting = true;
  };
  const first = setTimeout(schedule, delayMs).unref();
  const timer = setInterval(schedule, CHECK_INTERVAL_MS).unref();
  return {
    purgeWith: async (work) => {
      await mutex.runExclusive(async () => {
        await work();
        await removeCopies(dataDir, 'chat');
      });
      schedule();
    },
    close: async () => {
      ended = true;
      clearTimeout(first);
      clearInterval(timer);
      await mutex.runExclusive(async () => undefined);
    },
  };
}
