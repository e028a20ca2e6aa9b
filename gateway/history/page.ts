import { type RawBuilder, sql } from 'kysely';
import type { ExchangeId, ExchangeRecord } from '../../shared/exchange.ts';
import type { HistoryFilter, HistoryPage } from '../../shared/history.ts';
import { type Store, StoreError } from '../store/store.ts';
import { type Condition, conditionsOf, olderThan } from './filter.ts';
import { type ExchangeRow, fromRow, SUMMARY_COLUMNS, summaryOf, type SummaryRow } from './row.ts';
import type { SearchIndex } from './search-index.ts';

/** Which page: `before` is the last exchange of the page that came before it. */
export interface PageAsked {
  readonly filter: HistoryFilter;
  readonly limit: number;
  readonly before?: ExchangeId | undefined;
}

/** Where pages are read from. */
export interface Source {
  readonly store: Store;
  readonly index: SearchIndex;
}

/** One page of lines, newest first. An unknown `before` gives an empty last page. */
export async function readPage({ store, index }: Source, asked: PageAsked): Promise<HistoryPage> {
  const columns = sql.join(SUMMARY_COLUMNS.map((name) => sql.ref(`exchange.${name}`)));
  const rows = await withIndex(index, asked.filter, async (question) => {
    // One more than asked for tells whether there is a next page.
    const matching = match(question, { ...asked, limit: asked.limit + 1 });
    return (await sql<SummaryRow>`select ${columns} ${matching}`.execute(store.db)).rows;
  });
  const exchanges = rows.slice(0, asked.limit).map(summaryOf);
  const next = rows.length > asked.limit ? (exchanges.at(-1)?.id ?? null) : null;
  return { exchanges, next };
}

/** Of a page, what else must hold for its exchanges. */
export interface WholeAsked extends PageAsked {
  readonly also?: readonly Condition[];
}

/** The same exchanges whole. */
export async function readWhole(
  { store, index }: Source,
  asked: WholeAsked,
): Promise<ExchangeRecord[]> {
  const rows = await withIndex(index, asked.filter, async (question) => {
    const matching = match(question, asked);
    return (await sql<ExchangeRow>`select exchange.* ${matching}`.execute(store.db)).rows;
  });
  return rows.map(fromRow);
}

/** How many exchanges a filter lets through, counted up to `upTo`. */
export async function countExchanges(
  { store, index }: Source,
  filter: HistoryFilter,
  upTo: number,
): Promise<number> {
  return await withIndex(index, filter, async (question) => {
    const matching =
      question === null
        ? sql`exchange where ${all(conditionsOf(filter))}`
        : sql`exchange_text where ${all(conditionsInIndex(question, filter))}`;
    const counted = sql<{
      n: number;
    }>`select count(*) as n from (select 1 from ${matching} limit ${upTo})`;
    return (await counted.execute(store.db)).rows[0]?.n ?? 0;
  });
}

/** Asks with what the index is to be asked for; a second time without it when the index turns out to be damaged, which is then made anew. */
async function withIndex<Found>(
  index: SearchIndex,
  filter: HistoryFilter,
  ask: (question: string | null) => Promise<Found>,
): Promise<Found> {
  try {
    return await ask(await index.question(filter));
  } catch (error) {
    const isDamage = !(error instanceof StoreError) || error.code === 'corrupt';
    if (!isDamage || !(await index.exists())) throw error;
    const found = await ask(null);
    await index.renew(String(error));
    return found;
  }
}

/** Everything after the columns: with the index where it helps, along the time otherwise. */
function match(
  question: string | null,
  { filter, limit, before, also = [] }: WholeAsked,
): RawBuilder<unknown> {
  if (question === null) {
    const conditions = [...conditionsOf(filter), ...also];
    if (before !== undefined) conditions.push(olderThan(before));
    return sql`from exchange where ${all(conditions)} order by started_at desc, seq desc limit ${limit}`;
  }
  const conditions = [...conditionsInIndex(question, filter), ...also];
  if (before !== undefined) {
    const place = sql`(select (started_at << 20) | (seq & 1048575) from exchange where id = ${before})`;
    conditions.push(sql`exchange_text.rowid < ${place}`);
  }
  // A cross join is done in this order: the index says which, newest first, and only those are looked up.
  return sql`from exchange_text cross join exchange
    on exchange.started_at = (exchange_text.rowid >> 20) and (exchange.seq & 1048575) = (exchange_text.rowid & 1048575)
    where ${all(conditions)} order by exchange_text.rowid desc limit ${limit}`;
}

/** Later times do not fit into a place. */
const END_OF_TIME = 2 ** 42;

function conditionsInIndex(question: string, { since, until }: HistoryFilter): Condition[] {
  const conditions: Condition[] = [sql`exchange_text match ${question}`];
  if (since !== undefined) conditions.push(sql`exchange_text.rowid >= ${placeOf(since)}`);
  if (until !== undefined) conditions.push(sql`exchange_text.rowid < ${placeOf(until)}`);
  return conditions;
}

function placeOf(time: number): RawBuilder<number> {
  return sql`(cast(${Math.max(0, Math.min(time, END_OF_TIME))} as integer) << 20)`;
}

function all(conditions: readonly Condition[]): RawBuilder<boolean> {
  return conditions.length === 0 ? sql`1` : sql.join([...conditions], sql` and `);
}
