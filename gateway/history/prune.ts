import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Store, StoreError, type Tables } from '../store/store.ts';
import { dayOf, startOfDay } from './days.ts';
import { clearIndex, removeFromIndex, type SearchIndex } from './search-index.ts';

/** How long things are kept; no headers at all with 0 days. */
export interface Keeping {
  readonly days: number;
  readonly headersDays: number;
}

export interface Pruning {
  readonly keeping: Keeping;
  readonly index: SearchIndex;
  /** Unix time in milliseconds. */
  readonly now: number;
  /** Ends the work early. */
  readonly signal: AbortSignal;
}

/** One batch after the other: other work gets its turn in between. */
const BATCH = 500;
const DAY_MS = 24 * 3_600_000;

/**
 * Deletes what is older than it is to be kept: exchanges with the end of their local day, so that the sums of a day are whole or
 * gone, and headers to the minute. Resolves with the number of exchanges.
 */
export async function prune(store: Store, pruning: Pruning): Promise<number> {
  const { keeping, now, index, signal } = pruning;
  await pruneHeads(store, now - keeping.headersDays * DAY_MS, signal);
  const day = dayOf(now - keeping.days * DAY_MS);
  // Before its exchanges: after a crash in between, the next time deletes the rest.
  await store.db.deleteFrom('exchange_sum').where('day', '<', day).execute();
  const old = sql<boolean>`started_at < ${startOfDay(day)} order by started_at`;
  const indexed = await index.exists();
  if (indexed) await sql`delete from exchange_word where day < ${day}`.execute(store.db);
  return await deleteWhere(store, old, { indexed, signal });
}

type Erasing = Pick<Pruning, 'index' | 'signal'>;

/** The setting that says up to which `seq` an erasure goes that has begun. */
const ERASING = 'history-erased-up-to';

/** Deletes every exchange there is now. Resolves with how many; the file has given their room back then, unless another process holds it. */
export async function erase(store: Store, { index, signal }: Erasing): Promise<number> {
  const indexed = await index.exists();
  await store.db.transaction().execute(async (inside) => {
    const { seq } = await inside
      .selectFrom('exchange')
      .select(({ fn }) => fn.max<number | null>('seq').as('seq'))
      .executeTakeFirstOrThrow();
    // What is recorded from here on is not erased, and its sums and words begin anew.
    await inside.deleteFrom('exchange_sum').execute();
    if (indexed) await clearIndex(inside);
    const value = JSON.stringify(seq ?? 0);
    await inside
      .insertInto('setting')
      .values({ key: ERASING, value })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
      .execute();
  });
  index.forget();
  return await finishErasing(store, { index, signal });
}

/** Goes on with an erasure that has begun, if one has: the last process may have ended in the middle. Resolves with the number of exchanges. */
export async function finishErasing(store: Store, { index, signal }: Erasing): Promise<number> {
  const begun = await store.db
    .selectFrom('setting')
    .select('value')
    .where('key', '=', ERASING)
    .executeTakeFirst();
  if (begun === undefined) return 0;
  const { value } = begun;
  const erased = sql<boolean>`seq <= ${Number(value)} order by seq`;
  const deleted = await deleteWhere(store, erased, {
    indexed: await index.exists(),
    signal,
    // Together with the last of them, for in an empty table `seq` begins anew.
    atEnd: (inside) =>
      inside.deleteFrom('setting').where('key', '=', ERASING).where('value', '=', value).execute(),
  });
  if (!signal.aborted) await giveRoomBack(store);
  return deleted;
}

async function giveRoomBack({ db }: Store): Promise<void> {
  try {
    await sql`vacuum`.execute(db);
    await sql`pragma wal_checkpoint(truncate)`.execute(db);
  } catch (error) {
    // What was asked for is done: the room is used again by what is recorded next.
    if (!(error instanceof StoreError)) throw error;
  }
}

interface Deleting {
  /** Whether they are in the index, too. */
  readonly indexed: boolean;
  readonly signal: AbortSignal;
  /** Done in one transaction with the last batch. */
  readonly atEnd?: (inside: Kysely<Tables>) => Promise<unknown>;
}

async function deleteWhere(
  store: Store,
  condition: RawBuilder<boolean>,
  { indexed, signal, atEnd }: Deleting,
): Promise<number> {
  const batch = sql<number>`(select seq from exchange where ${condition} limit ${BATCH})`;
  const deleteBatch = async (inside: Kysely<Tables>) => {
    if (indexed) await removeFromIndex(inside, batch);
    const { numDeletedRows } = await inside
      .deleteFrom('exchange')
      .where('seq', 'in', batch)
      .executeTakeFirst();
    if (numDeletedRows < BATCH) await atEnd?.(inside);
    return Number(numDeletedRows);
  };
  return await repeat(signal, () => store.db.transaction().execute(deleteBatch));
}

/** `seq` grows with the time: what began long before it was written waits for those written with it. */
async function pruneHeads(store: Store, before: number, signal: AbortSignal): Promise<void> {
  const first = sql`(select seq from exchange_head order by seq limit ${BATCH})`;
  const old = sql<number>`(select seq from exchange where seq in ${first} and started_at < ${before})`;
  await repeat(signal, async () => {
    const { numDeletedRows } = await store.db
      .deleteFrom('exchange_head')
      .where('seq', 'in', old)
      .executeTakeFirst();
    return Number(numDeletedRows);
  });
}

/** Deletes batch after batch until one is not full. Gives how many rows went. */
async function repeat(signal: AbortSignal, deleteBatch: () => Promise<number>): Promise<number> {
  let deleted = 0;
  while (!signal.aborted) {
    const count = await deleteBatch();
    deleted += count;
    if (count < BATCH) break;
  }
  return deleted;
}
