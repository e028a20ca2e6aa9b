import { type RawBuilder, sql } from 'kysely';
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
 * Yields the newest exchanges that match, oldest first, and then each one that another process writes, in the order of writing; with a
 * filter by tools, when its tools are known. It reads only after a change of the database. Ends when its signal is aborted. @throws StoreError
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
    const order = filter.tools === undefined ? BY_WRITING : BY_TOOLS;
    let seen = await order.readNewest(store);
    const before = await readRows(store, [...conditions, sql`not ${order.isAfter(seen)}`], {
      order: 'desc',
      limit: last,
    });
    yield* before.toReversed().map(fromRow);
    while (!signal.aborted) {
      await wake.promise;
      wake = Promise.withResolvers<void>();
      const newest = await order.readNewest(store);
      const range = [order.isAfter(seen), sql<boolean>`not ${order.isAfter(newest)}`];
      for (let after = 0, hasMore = newest > seen; hasMore && !signal.aborted;) {
        const rows = await readRows(
          store,
          [...conditions, ...range, sql<boolean>`seq > ${after}`],
          { order: 'asc', limit: BATCH_SIZE },
        );
        hasMore = rows.length === BATCH_SIZE;
        after = rows.at(-1)?.seq ?? after;
        yield* rows.map(fromRow);
      }
      seen = newest;
    }
  } finally {
    signal.removeEventListener('abort', end);
    stop();
  }
}

/** In which order exchanges come: each has a number that grows. */
interface Order {
  readonly readNewest: (store: Store) => Promise<number>;
  readonly isAfter: (number: number) => Condition;
}

/** In the order of writing; numbers are never reused. */
const BY_WRITING: Order = {
  readNewest: ({ db }) => readNumber(db, sql`select max(seq) as number from exchange`),
  isAfter: (number) => sql`(exchange.seq > ${number})`,
};

/** In the order in which their tools became known, which is later. */
const BY_TOOLS: Order = {
  readNewest: ({ db }) => readNumber(db, sql`select max(id) as number from exchange_tool`),
  isAfter: (number) => sql`(exchange.seq in (select seq from exchange_tool where id > ${number}))`,
};

async function readNumber(db: Store['db'], query: RawBuilder<{ number: number | null }>) {
  return (await query.execute(db)).rows[0]?.number ?? 0;
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
