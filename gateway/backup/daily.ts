import { makeInTurn } from '../in-turn.ts';
import type { DatabaseName } from '../store/store.ts';
import { KEPT, listCopies, makeCopy, removeCopies } from './copies.ts';
import type { BackupGround } from './ground.ts';

/** Keeps copies fresh while Gatehouse runs. */
export interface DailyCopies {
  /**
   * Does `work`, which takes what was deleted out of the file of the conversations, while no copy is being made, and then removes the copies, for those
   * hold it still. A fresh one is made a moment later.
   */
  forgetWith(this: void, work: () => Promise<void>): Promise<void>;
  /** Waits for a copy that is being made, and makes no more. */
  close(): Promise<void>;
}

const DAY_MS = 24 * 3_600_000;
const LOOK_EVERY_MS = 3_600_000;
/** Between the first copies, which are made on the day on which a folder fills: each look makes one, many starts do not. */
const FIRST_REST_MS = LOOK_EVERY_MS / 2;
const DATABASES: readonly DatabaseName[] = ['gatehouse', 'chat'];

/** Copies each database now, each hour until there are three copies, and then once a day. A copy that cannot be made is a line in the log. */
export function startDailyCopies(ground: BackupGround): DailyCopies {
  const { dataDir, now, log } = ground;
  const inTurn = makeInTurn();
  let ended = false;
  let waiting = false;
  const look = async (database: DatabaseName): Promise<void> => {
    const copies = (await listCopies(dataDir)).filter((copy) => copy.database === database);
    const [latest] = copies;
    const restMs = copies.length < KEPT ? FIRST_REST_MS : DAY_MS;
    // A clock that was set back must not end the copies.
    if (latest !== undefined && Math.abs(now() - latest.at) < restMs) return;
    await makeCopy(ground, database);
  };
  const lookAtAll = async (): Promise<void> => {
    waiting = false;
    for (const database of DATABASES) {
      if (ended) return;
      await look(database).catch((error: unknown) =>
        log('warn', `No copy of ${database}.db could be made.`, { reason: String(error) }),
      );
    }
  };
  const ask = (): void => {
    // One look after the other, and at most one that waits.
    if (!waiting) void inTurn(lookAtAll);
    waiting = true;
  };
  ask();
  const timer = setInterval(ask, LOOK_EVERY_MS).unref();
  return {
    forgetWith: async (work) => {
      await inTurn(async () => {
        await work();
        await removeCopies(dataDir, 'chat');
      });
      ask();
    },
    close: async () => {
      ended = true;
      clearInterval(timer);
      await inTurn(async () => undefined);
    },
  };
}
