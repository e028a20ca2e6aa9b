import { type RawBuilder, sql } from 'kysely';
import type { ExchangeId, ExchangeRecord } from '../../shared/exchange.ts';
import type { HistoryFilter, HistoryPage } from '../../shared/history.ts';
import { type Store, StoreError } from '../store/store.ts';
import { type Condition, toConditions, isOlderThan } from './filter.ts';
import { type ExchangeRow, fromRow, SUMMARY_COLUMNS, toSummary, type SummaryRow } from './row.ts';
import type { SearchIndex } from './search-index.ts';

/** Query of a page: `before` is the last exchange of the previous page. */
export interface PageQuery {
  readonly filter: HistoryFilter;
  readonly limit: number;
  readonly before?: ExchangeId | undefined;
}

/** Database and index that pages are read from. */
export interface HistorySource {
  readonly store: Store;
  readonly index: SearchIndex;
}

/** Reads one page of summaries, newest first. An unknown `before` gives an empty last page. */
export async function readPage(
  { store, index }: HistorySource,
  query: PageQuery,
): Promise<HistoryPage> {
  const columns = sql.join(SUMMARY_COLUMNS.map((name) => sql.ref(`exchange.${name}`)));
  const rows = await queryWithIndex(index, query.filter, async (indexQuery) => {
    // One more than requested shows whether there is a next page.
    const matching = selectMatching(indexQuery, { ...query, limit: query.limit + 1 });
    return (await sql<SummaryRow>`select ${columns} ${matching}`.execute(store.db)).rows;
  });
  const exchanges = rows.slice(0, query.limit).map(toSummary);
  const next = rows.length > query.limit ? (exchanges.at(-1)?.id ?? null) : null;
  return { exchanges, next };
}

/** Extra conditions that filter a page of exchanges. */
export interface DetailsQuery extends PageQuery {
  readonly conditions?: readonly Condition[];
}

/** Reads a page of complete exchanges. */
export async function readRecords(
  { store, index }: HistorySource,
  query: DetailsQuery,
): Promise<ExchangeRecord[]> {
  const rows = await queryWithIndex(index, query.filter, async (indexQuery) => {
    const matching = selectMatching(indexQuery, query);
    return (await sql<ExchangeRow>`select exchange.* ${matching}`.execute(store.db)).rows;
  });
  return rows.map(fromRow);
}

/** Counts the exchanges that match a filter, up to `upTo`. */
export async function countExchanges(
  { store, index }: HistorySource,
  filter: HistoryFilter,
  upTo: number,
): Promise<number> {
  return await queryWithIndex(index, filter, async (indexQuery) => {
    const matching =
      indexQuery === null
        ? sql`exchange where ${joinConditions(toConditions(filter))}`
        : sql`exchange_text where ${joinConditions(toIndexConditions(indexQuery, filter))}`;
    const counted = sql<{
      n: number;
    }>`select count(*) as n from (select 1 from ${matching} limit ${upTo})`;
    return (await counted.execute(store.db)).rows[0]?.n ?? 0;
  });
}

/** Runs a query with the index. When the index turns out to be damaged, rebuilds it and runs the query again without it. */
async function queryWithIndex<Found>(
  index: SearchIndex,
  filter: HistoryFilter,
  query: (indexQuery: string | null) => Promise<Found>,
): Promise<Found> {
  try {
    return await query(await index.buildQuery(filter));
  } catch (error) {
    const isDamage = !(error instanceof StoreError) || error.code === 'corrupt';
    if (!isDamage || !(await index.exists())) throw error;
    const found = await query(null);
    await index.rebuild(String(error));
    return found;
  }
}

/** Returns the SQL after the columns: through the index where it helps, in order of time otherwise. */
function selectMatching(
  indexQuery: string | null,
  { filter, limit, before, conditions: also = [] }: DetailsQuery,
): RawBuilder<unknown> {
  if (indexQuery === null) {
    const conditions = [...toConditions(filter), ...also];
    if (before !== undefined) conditions.push(isOlderThan(before));
    return sql`from exchange where ${joinConditions(conditions)} order by started_at desc, seq desc limit ${limit}`;
  }
  const conditions = [...toIndexConditions(indexQuery, filter), ...also];
  if (before !== undefined) {
    const place = sql`(select (started_at << 20) | (seq & 1048575) from exchange where id = ${before})`;
    conditions.push(sql`exchange_text.rowid < ${place}`);
  }
  // A cross join fixes the order: the index gives the matches, newest first, and only those are looked up.
  return sql`from exchange_text cross join exchange
    on exchange.started_at = (exchange_text.rowid >> 20) and (exchange.seq & 1048575) = (exchange_text.rowid & 1048575)
    where ${joinConditions(conditions)} order by exchange_text.rowid desc limit ${limit}`;
}

/** Later times do not fit into the digits of an id. */
const MAX_TIME = 2 ** 42;

function toIndexConditions(question: string, { since, until }: HistoryFilter): Condition[] {
  const conditions: Condition[] = [sql`exchange_text match ${question}`];
  if (since !== undefined) conditions.push(sql`exchange_text.rowid >= ${toRowId(since)}`);
  if (until !== undefined) conditions.push(sql`exchange_text.rowid < ${toRowId(until)}`);
  return conditions;
}

function toRowId(time: number): RawBuilder<number> {
  return sql`(cast(${Math.max(0, Math.min(time, MAX_TIME))} as integer) << 20)`;
}

function joinConditions(conditions: readonly Condition[]): RawBuilder<boolean> {
  return conditions.length === 0 ? sql`1` : sql.join([...conditions], sql` and `);
}
