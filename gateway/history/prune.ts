import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../store/store.ts';
import { dayOf, startOfDay } from './days.ts';

/** How long things are kept; no headers at all with 0 days. */
export interface Keeping {
  readonly days: number;
  readonly headersDays: number;
}

export interface Pruning {
  readonly keeping: Keeping;
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
export async function prune(store: Store, { keeping, now, signal }: Pruning): Promise<number> {
  await pruneHeads(store, now - keeping.headersDays * DAY_MS, signal);
  const day = dayOf(now - keeping.days * DAY_MS);
  // Before its exchanges: after a crash in between, the next time deletes the rest.
  await store.db.deleteFrom('exchange_sum').where('day', '<', day).execute();
  const old = sql<boolean>`started_at < ${startOfDay(day)} order by started_at`;
  return await deleteWhere(store, old, signal);
}

/** Deletes every exchange there is now. Resolves with how many; the file has given their room back then. */
export async function erase(store: Store, signal: AbortSignal): Promise<number> {
  const last = await store.db.transaction().execute(async (inside) => {
    const { seq } = await inside
      .selectFrom('exchange')
      .select(({ fn }) => fn.max<number | null>('seq').as('seq'))
      .executeTakeFirstOrThrow();
    // What is recorded from here on is not erased, and its sums begin anew.
    await inside.deleteFrom('exchange_sum').execute();
    return seq ?? 0;
  });
  const deleted = await deleteWhere(store, sql`seq <= ${last} order by seq`, signal);
  await sql`vacuum`.execute(store.db);
  await sql`pragma wal_checkpoint(truncate)`.execute(store.db);
  return deleted;
}

async function deleteWhere(
  store: Store,
  condition: RawBuilder<boolean>,
  signal: AbortSignal,
): Promise<number> {
  const batch = sql<number>`(select seq from exchange where ${condition} limit ${BATCH})`;
  return await repeat(signal, async () => {
    const { numDeletedRows } = await store.db
      .deleteFrom('exchange')
      .where('seq', 'in', batch)
      .executeTakeFirst();
    return Number(numDeletedRows);
  });
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
