import { type RawBuilder, sql } from 'kysely';
import type { ExchangeId, ExchangeRecord } from '../../shared/exchange.ts';
import type { Store } from '../store/store.ts';
import { fromRow } from './row.ts';

export type StatusClass = '1xx' | '2xx' | '3xx' | '4xx' | '5xx';

/** `failed`: everything with an error, with a status that is one, or that the service did not bring to its end. */
export type StatusFilter = number | StatusClass | 'failed';

/** Which exchanges to list; absent fields let everything through. */
export interface HistoryFilter {
  readonly limit: number;
  /** Only exchanges older than this one: the last of the page before. */
  readonly before?: ExchangeId;
  readonly status?: StatusFilter;
  /** Only exchanges whose id begins so: `ex-` and hexadecimal digits. */
  readonly idPrefix?: string;
  /** The client's name, or several. */
  readonly client?: string | readonly string[];
  /** The model sent to the service, or the one asked for when nothing was sent. */
  readonly model?: string;
  /** Unix time in milliseconds, inclusive. */
  readonly since?: number;
}

/** Word for word the expression of the index `exchange_by_model`. */
export const MODEL = sql<string | null>`coalesce(model_sent, model_asked)`;

function byStatus(status: StatusFilter): RawBuilder<boolean> {
  if (status === 'failed') {
    return sql`(error_code is not null or status is null or status >= 400 or ended_by <> 'service')`;
  }
  if (typeof status === 'number') return sql`status = ${status}`;
  const first = Number(status.charAt(0)) * 100;
  // Successes are most of the table: they are found along the index of time, which `+` leaves as the only one.
  const column = status === '2xx' ? sql`+status` : sql`status`;
  return sql`${column} between ${first} and ${first + 99}`;
}

/** Exchanges newest first, by their start. An unknown `before` gives none. */
export async function listExchanges(store: Store, filter: HistoryFilter) {
  const { limit, before, status, idPrefix, client, model, since } = filter;
  let query = store.db.selectFrom('exchange').selectAll();
  if (client !== undefined) query = query.where('client_name', 'in', [client].flat());
  if (model !== undefined) query = query.where(MODEL, '=', model);
  if (since !== undefined) query = query.where('started_at', '>=', since);
  if (status !== undefined) query = query.where(byStatus(status));
  if (idPrefix !== undefined) {
    // Greater than any digit, so that the index is used.
    query = query.where('id', '>=', idPrefix).where('id', '<', `${idPrefix}g`);
  }
  if (before !== undefined) {
    const older = sql<boolean>`(started_at, seq) < (select started_at, seq from exchange where id = ${before})`;
    query = query.where(older);
  }
  const ordered = query.orderBy('started_at', 'desc').orderBy('seq', 'desc').limit(limit);
  const rows = await ordered.execute();
  return rows.map(fromRow) satisfies readonly ExchangeRecord[];
}
