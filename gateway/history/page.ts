import { type RawBuilder, sql } from 'kysely';
import type { ExchangeId, ExchangeRecord } from '../../shared/exchange.ts';
import type { ExchangeSummary, HistoryFilter, HistoryPage } from '../../shared/history.ts';
import type { Store } from '../store/store.ts';
import { type Condition, conditionsOf, olderThan } from './filter.ts';
import { fromRow, SUMMARY_COLUMNS, summaryOf } from './row.ts';

/** Which page: `before` is the last exchange of the page that came before it. */
export interface PageAsked {
  readonly filter: HistoryFilter;
  readonly limit: number;
  readonly before?: ExchangeId | undefined;
}

/** One page of lines, newest first. An unknown `before` gives an empty last page. */
export async function readPage(store: Store, asked: PageAsked): Promise<HistoryPage> {
  // One more than asked for tells whether there is a next page.
  const rows = await select(store, { ...asked, limit: asked.limit + 1 })
    .select(SUMMARY_COLUMNS)
    .execute();
  const exchanges: ExchangeSummary[] = rows.slice(0, asked.limit).map(summaryOf);
  const next = rows.length > asked.limit ? (exchanges.at(-1)?.id ?? null) : null;
  return { exchanges, next };
}

/** The same exchanges whole. */
export async function readWhole(store: Store, asked: PageAsked): Promise<ExchangeRecord[]> {
  const rows = await select(store, asked).selectAll().execute();
  return rows.map(fromRow);
}

/** How many exchanges a filter lets through, counted up to `upTo`. */
export async function countExchanges(
  store: Store,
  filter: HistoryFilter,
  upTo: number,
): Promise<number> {
  const matching = sql`select 1 from exchange where ${all(conditionsOf(filter))} limit ${upTo}`;
  const { rows } = await sql<{ n: number }>`select count(*) as n from (${matching})`.execute(
    store.db,
  );
  return rows[0]?.n ?? 0;
}

function select(store: Store, { filter, limit, before }: PageAsked) {
  const conditions = conditionsOf(filter);
  if (before !== undefined) conditions.push(olderThan(before));
  return store.db
    .selectFrom('exchange')
    .where(all(conditions))
    .orderBy('started_at', 'desc')
    .orderBy('seq', 'desc')
    .limit(limit);
}

function all(conditions: readonly Condition[]): RawBuilder<boolean> {
  return conditions.length === 0 ? sql`1` : sql.join([...conditions], sql` and `);
}
