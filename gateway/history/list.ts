import { sql } from 'kysely';
import type { ExchangeId, ExchangeRecord } from '../../shared/exchange.ts';
import type { Store } from '../store/store.ts';
import { type Condition, hasOutcome, MODEL, olderThan } from './filter.ts';
import { fromRow } from './row.ts';

export type StatusClass = '1xx' | '2xx' | '3xx' | '4xx' | '5xx';

export type StatusFilter = number | StatusClass | 'failed';

/** Which exchanges to list; absent fields let everything through. */
export interface ListFilter {
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

function byStatus(status: StatusFilter): Condition {
  return typeof status === 'number' ? sql`status = ${status}` : hasOutcome(status);
}

/** Exchanges newest first, by their start. An unknown `before` gives none. */
export async function listExchanges(store: Store, filter: ListFilter) {
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
  if (before !== undefined) query = query.where(olderThan(before));
  const ordered = query.orderBy('started_at', 'desc').orderBy('seq', 'desc').limit(limit);
  const rows = await ordered.execute();
  return rows.map(fromRow) satisfies readonly ExchangeRecord[];
}
