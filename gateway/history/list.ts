import { type RawBuilder, sql } from 'kysely';
import type { ExchangeId, ExchangeRecord } from '../../shared/exchange.ts';
import type { Store } from '../store/store.ts';
import { fromRow } from './row.ts';

export type StatusClass = '1xx' | '2xx' | '3xx' | '4xx' | '5xx';

/** Which exchanges to list; absent fields let everything through. */
export interface HistoryFilter {
  readonly limit: number;
  /** Only exchanges older than this one: the last of the page before. */
  readonly before?: ExchangeId;
  readonly status?: number | StatusClass;
  /** The client's name. */
  readonly client?: string;
  /** The model sent to the service, or the one asked for when nothing was sent. */
  readonly model?: string;
  /** Unix time in milliseconds, inclusive. */
  readonly since?: number;
}

/** Word for word the expression of the index `exchange_by_model`. */
export const MODEL = sql<string | null>`coalesce(model_sent, model_asked)`;

function byStatus(status: number | StatusClass): RawBuilder<boolean> {
  if (typeof status === 'number') return sql`status = ${status}`;
  const first = Number(status.charAt(0)) * 100;
  // Successes are most of the table: they are found along the index of time, which `+` leaves as the only one.
  const column = status === '2xx' ? sql`+status` : sql`status`;
  return sql`${column} between ${first} and ${first + 99}`;
}

/** Exchanges newest first, by their start. An unknown `before` gives none. */
export async function listExchanges(store: Store, filter: HistoryFilter) {
  const { limit, before, status, client, model, since } = filter;
  let query = store.db.selectFrom('exchange').selectAll();
  if (client !== undefined) query = query.where('client_name', '=', client);
  if (model !== undefined) query = query.where(MODEL, '=', model);
  if (since !== undefined) query = query.where('started_at', '>=', since);
  if (status !== undefined) query = query.where(byStatus(status));
  if (before !== undefined) {
    const older = sql<boolean>`(started_at, seq) < (select started_at, seq from exchange where id = ${before})`;
    query = query.where(older);
  }
  const ordered = query.orderBy('started_at', 'desc').orderBy('seq', 'desc').limit(limit);
  const rows = await ordered.execute();
  return rows.map(fromRow) satisfies readonly ExchangeRecord[];
}
