import { type RawBuilder, sql } from 'kysely';
import type { ExchangeId } from '../../shared/exchange/exchange.ts';
import {
  HistoryCursor,
  type HistoryFilter,
  type HistoryPage,
} from '../../shared/history/history.ts';
import { matchesPattern } from '../../shared/name-pattern.ts';
import { type Store, StoreError } from '../store/store.ts';
import { type Condition, toConditions } from './filter.ts';
import { listMarks, toMarkSummary } from './marks/read-marks.ts';
import { type ExchangeRow, SUMMARY_COLUMNS, toSummary, type SummaryRow } from './row.ts';
import type { IndexQuery } from './search/index-query.ts';
import type { SearchIndex } from './search/search-index.ts';
import { countEqualChecks, foldsChecks, isFollowedByEqualCheck } from './status-checks.ts';

/** Query of a page: `before` is the place after the last exchange of the previous page. */
export interface PageQuery {
  readonly filter: HistoryFilter;
  readonly limit: number;
  readonly before?: HistoryCursor | undefined;
}

/** Database and index that pages are read from. */
export interface HistorySource {
  readonly store: Store;
  readonly index: SearchIndex;
}

/** A page reads at most this many exchanges: those that are shown with another one cost as much as others. */
const MAX_READ = 2_000;
const MORE = 250;

/**
 * Reads one page of summaries, newest first. Of equal status checks it has the latest.
 */
export async function readPage(source: HistorySource, query: PageQuery): Promise<HistoryPage> {
  const shown: ListedRow[] = [];
  let before: HistoryCursor | null | undefined = query.before;
  // One more than requested shows whether there is a next page.
  let limit = query.limit + 1;
  for (let read = 0; before !== null && shown.length <= query.limit && read < MAX_READ;) {
    const rows: readonly ListedRow[] = await readRows(source, { ...query, before, limit });
    shown.push(...rows.filter(({ followed }) => followed === 0));
    before = rows.length < limit ? null : toCursor(rows.at(-1));
    read += rows.length;
    limit = MORE;
  }
  const page = shown.slice(0, query.limit);
  const ids = page.map(toId);
  const isFolded = foldsChecks(query.filter) && page.some(({ route }) => route === 'video-status');
  const checks = isFolded ? await countEqualChecks(source.store, ids, query.filter) : null;
  const marks = await listMarks(source.store.db, ids);
  return {
    exchanges: page.map((row) =>
      toSummary(row, {
        checks: checks?.get(row.id) ?? null,
        mark: toMarkSummary(marks.get(row.id)),
      }),
    ),
    next: shown.length > query.limit ? toCursor(page.at(-1)) : (before ?? null),
  };
}

/** Returns the place after a row. */
export function toCursor(
  row: Pick<ExchangeRow, 'started_at' | 'seq'> | undefined,
): HistoryCursor | null {
  return row === undefined ? null : HistoryCursor.parse(`${row.started_at}-${row.seq}`);
}

function parseCursor(cursor: HistoryCursor) {
  const [startedAt = 0, seq = 0] = cursor.split('-').map(Number);
  return { startedAt, seq };
}

/** `followed`: 1 for a status check that is shown with a later one. */
type ListedRow = SummaryRow & {
  readonly id: ExchangeId;
  readonly seq: number;
  readonly followed: 0 | 1;
};

async function readRows(
  { store, index }: HistorySource,
  { filter, limit, before }: PageQuery,
): Promise<readonly ListedRow[]> {
  const columns = sql.join(SUMMARY_COLUMNS.map((name) => sql.ref(`exchange.${name}`)));
  const followed = foldsChecks(filter) ? isFollowedByEqualCheck(filter) : sql`0`;
  return await queryWithIndex(index, filter, async (indexQuery) => {
    const matching = selectMatching(indexQuery, { filter, limit, before });
    const query = sql<ListedRow>`select ${columns}, exchange.seq, ${followed} as followed ${matching}`;
    return (await query.execute(store.db)).rows;
  });
}

function toId({ id }: ListedRow): ExchangeId {
  return id;
}

/** Extra conditions that filter a page of exchanges. */
export interface DetailsQuery extends PageQuery {
  readonly conditions?: readonly Condition[];
}

/** Reads a page of complete exchanges. */
export async function readExchangeRows(
  { store, index }: HistorySource,
  query: DetailsQuery,
): Promise<ExchangeRow[]> {
  return await queryWithIndex(index, query.filter, async (indexQuery) => {
    const matching = selectMatching(indexQuery, query);
    return (await sql<ExchangeRow>`select exchange.* ${matching}`.execute(store.db)).rows;
  });
}

/** Counts the exchanges that match a filter, up to `upTo`: each of those that are counted together in one row. */
export async function countExchanges(
  source: HistorySource,
  filter: HistoryFilter,
  upTo: number,
): Promise<number> {
  const rows = await countRows(source, filter, upTo);
  if (rows >= upTo) return rows;
  const repeated = await Promise.all(
    listRepeating(filter).map(async (counted) => await countRepeated(source, counted, upTo)),
  );
  return Math.min(upTo, rows + repeated.reduce((sum, more) => sum + more, 0));
}

/**
 * Returns filters for the matching rows that may stand for several requests: those without a valid local key, and those with a
 * revoked or replaced one. No row matches two of them.
 */
function listRepeating(filter: HistoryFilter): readonly HistoryFilter[] {
  const { clients = [], errors = [], known } = filter;
  const hasUnknown = known !== true && clients.length === 0;
  const hasRetired =
    known !== false &&
    (errors.length === 0 || errors.some((pattern) => matchesPattern(pattern, RETIRED_KEY)));
  return [
    ...(hasUnknown ? [{ ...filter, known: false }] : []),
    ...(hasRetired ? [{ ...filter, known: true, errors: [RETIRED_KEY] }] : []),
  ];
}

/** The error code of a refused key; with a client's name it was revoked or replaced. */
const RETIRED_KEY = 'invalid_local_key';

async function countRows(
  { store, index }: HistorySource,
  filter: HistoryFilter,
  upTo: number,
): Promise<number> {
  return await queryWithIndex(index, filter, async (indexQuery) => {
    const counted = sql<{
      n: number;
    }>`select count(*) as n from (select 1 from ${selectCounted(indexQuery, filter)} limit ${upTo})`;
    return (await counted.execute(store.db)).rows[0]?.n ?? 0;
  });
}

/** Returns the SQL after `from`, in any order. The index alone can count what it finds exactly. */
function selectCounted(indexQuery: IndexQuery | null, filter: HistoryFilter): RawBuilder<unknown> {
  if (indexQuery === null) return sql`exchange where ${joinConditions(toConditions(filter))}`;
  const conditions = toIndexConditions(indexQuery, filter);
  const { rest } = indexQuery;
  return rest.length === 0
    ? sql`exchange_text where ${joinConditions(conditions)}`
    : sql`${MATCHED_ROWS} where ${joinConditions([...conditions, ...rest])}`;
}

/** A cross join fixes the order: the index gives the matches, newest first, and only those are looked up. */
const MATCHED_ROWS = sql`exchange_text cross join exchange
  on exchange.started_at = (exchange_text.rowid >> 20) and (exchange.seq & 1048575) = (exchange_text.rowid & 1048575)`;

/** Counts the exchanges beyond the first of each matching row. */
async function countRepeated(
  { store, index }: HistorySource,
  filter: HistoryFilter,
  upTo: number,
): Promise<number> {
  return await queryWithIndex(index, filter, async (indexQuery) => {
    const matching = selectMatching(indexQuery, { filter, limit: upTo });
    const counted = sql<{
      n: number;
    }>`select coalesce(sum(times - 1), 0) as n from (select exchange.times ${matching})`;
    return (await counted.execute(store.db)).rows[0]?.n ?? 0;
  });
}

/** Runs a query with the index. When the index turns out to be damaged, rebuilds it and runs the query again without it. */
async function queryWithIndex<Found>(
  index: SearchIndex,
  filter: HistoryFilter,
  query: (indexQuery: IndexQuery | null) => Promise<Found>,
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
  indexQuery: IndexQuery | null,
  { filter, limit, before, conditions: also = [] }: DetailsQuery,
): RawBuilder<unknown> {
  if (indexQuery === null) {
    const conditions = [...toConditions(filter), ...also];
    if (before !== undefined) {
      const { startedAt, seq } = parseCursor(before);
      conditions.push(sql`(started_at, seq) < (${startedAt}, ${seq})`);
    }
    return sql`from exchange where ${joinConditions(conditions)} order by started_at desc, seq desc limit ${limit}`;
  }
  const conditions = [...toIndexConditions(indexQuery, filter), ...indexQuery.rest, ...also];
  if (before !== undefined) {
    const { startedAt, seq } = parseCursor(before);
    conditions.push(sql`exchange_text.rowid < (${toRowId(startedAt)} | (${seq} & 1048575))`);
  }
  return sql`from ${MATCHED_ROWS}
    where ${joinConditions(conditions)} order by exchange_text.rowid desc limit ${limit}`;
}

/** Later times do not fit into the digits of an id. */
const MAX_TIME = 2 ** 42;

function toIndexConditions({ match }: IndexQuery, { since, until }: HistoryFilter): Condition[] {
  const conditions: Condition[] = [sql`exchange_text match ${match}`];
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
