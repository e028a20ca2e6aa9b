import { sql } from 'kysely';
import type { ExchangeRecord } from '../../shared/exchange/exchange.ts';
import type { Store } from '../store/store.ts';
import { type Condition, toConditions } from './filter.ts';
import type { ListFilter } from './list-records.ts';
import { type ExchangeRow, fromRow } from './row.ts';

export interface FollowOptions extends Pick<ListFilter, 'filter'> {
  /** The number of exchanges before the new ones. */
  readonly last: number;
  /** Ends the generator. */
  readonly signal: AbortSignal;
}

const BATCH_SIZE = 250;

/**
 * Yields the newest exchanges that match, oldest first, and then each one that another process writes, in the order of writing. It reads
 * only after a change of the database. Ends when its signal is aborted. @throws StoreError
 */
export async function* followExchanges(
  store: Store,
  { filter = {}, last, signal }: FollowOptions,
): AsyncGenerator<ExchangeRecord, void, void> {
  let wake = Promise.withResolvers<void>();
  // It begins before the first read, so that no change is missed.
  const stop = store.onExternalChange(() => wake.resolve());
  const end = () => wake.resolve();
  signal.addEventListener('abort', end);
  try {
    const conditions = toConditions(filter);
    let seen = await readNewestSeq(store);
    const before = await readRows(store, [...conditions, sql`seq <= ${seen}`], {
      order: 'desc',
      limit: last,
    });
    yield* before.toReversed().map(fromRow);
    while (!signal.aborted) {
      await wake.promise;
      wake = Promise.withResolvers<void>();
      const newest = await readNewestSeq(store);
      while (!signal.aborted && seen < newest) {
        const range = [sql<boolean>`seq > ${seen}`, sql<boolean>`seq <= ${newest}`];
        const rows = await readRows(store, [...conditions, ...range], {
          order: 'asc',
          limit: BATCH_SIZE,
        });
        seen = rows.length < BATCH_SIZE ? newest : (rows.at(-1)?.seq ?? newest);
        yield* rows.map(fromRow);
      }
    }
  } finally {
    signal.removeEventListener('abort', end);
    stop();
  }
}

/** Returns the number of the exchange that was written last; numbers are never reused. */
async function readNewestSeq({ db }: Store): Promise<number> {
  const found = await sql<{ seq: number | null }>`select max(seq) as seq from exchange`.execute(db);
  return found.rows[0]?.seq ?? 0;
}

async function readRows(
  { db }: Store,
  conditions: readonly Condition[],
  { order, limit }: { readonly order: 'asc' | 'desc'; readonly limit: number },
): Promise<ExchangeRow[]> {
  const where = sql.join([...conditions], sql` and `);
  const query = sql<ExchangeRow>`select * from exchange where ${where} order by seq ${sql.raw(order)} limit ${limit}`;
  return (await query.execute(db)).rows;
}
