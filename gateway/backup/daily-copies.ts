import { Mutex } from 'async-mutex';
import type { DatabaseName } from '../store/store.ts';
import { MAX_COPIES, listCopies, createCopy, removeCopies } from './copies.ts';
import type { BackupDeps } from './deps.ts';

/** Keeps copies fresh while Gatehouse runs. */
export interface DailyCopies {
  /**
   * Does `work`, which takes what was deleted out of the file of the conversations, while no copy is being made, and then removes the copies, for those
   * hold it still. A fresh one is made a moment later.
   */
  purgeWith(this: void, work: () => Promise<void>): Promise<void>;
  /** Waits for a copy that is being made, and makes no more. */
  close(): Promise<void>;
}

const DAY_MS = 24 * 3_600_000;
const CHECK_INTERVAL_MS = 3_600_000;
/** Between the first copies, which are made on the day on which a folder fills: each look makes one, many starts do not. */
const FIRST_INTERVAL_MS = CHECK_INTERVAL_MS / 2;
const DATABASES: readonly DatabaseName[] = ['gatehouse', 'chat'];

/** Copies each database now, each hour until there are three copies, and then once a day. A copy that cannot be made is a line in the log. */
export function startDailyCopies(deps: BackupDeps): DailyCopies {
  const { dataDir, now, log } = deps;
  const mutex = new Mutex();
  let ended = false;
  let waiting = false;
  const copyIfDue = async (database: DatabaseName): Promise<void> => {
    const copies = (await listCopies(dataDir)).filter((copy) => copy.database === database);
    const [latest] = copies;
    const restMs = copies.length < MAX_COPIES ? FIRST_INTERVAL_MS : DAY_MS;
    // A clock that was set back must not end the copies.
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
    // One look after the other, and at most one that waits.
    if (!waiting) void mutex.runExclusive(copyAllDue);
    waiting = true;
  };
  schedule();
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
      clearInterval(timer);
      await mutex.runExclusive(async () => undefined);
    },
  };
}
