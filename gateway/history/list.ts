import { sql } from 'kysely';
import type { ExchangeRecord } from '../../shared/exchange.ts';
import { type Condition, hasOutcome } from './filter.ts';
import { readRecords, type HistorySource } from './page.ts';

export type StatusClass = '1xx' | '2xx' | '3xx' | '4xx' | '5xx';

export type StatusFilter = number | StatusClass | 'failed';

/** Filter of a list; absent fields match everything. */
export interface ListFilter {
  readonly limit: number;
  readonly status?: StatusFilter;
  /** Matches exchanges whose id starts with this: `ex-` and hexadecimal digits. */
  readonly idPrefix?: string;
  /** The client's name, or several. */
  readonly client?: string | readonly string[];
  /** The model sent to the service, or the requested one when nothing was sent. */
  readonly model?: string;
}

/** Lists exchanges newest first, by their start. */
export async function listExchanges(
  source: HistorySource,
  options: ListFilter,
): Promise<ExchangeRecord[]> {
  const { limit, status, idPrefix, client, model } = options;
  const filter = {
    clients: client === undefined ? [] : [client].flat(),
    models: model === undefined ? [] : [model],
  };
  const conditions: Condition[] = [];
  if (typeof status === 'number') conditions.push(sql`exchange.status = ${status}`);
  else if (status !== undefined) conditions.push(hasOutcome(status));
  // `g` sorts after any hexadecimal digit, so that the index is used.
  if (idPrefix !== undefined) conditions.push(sql`id >= ${idPrefix} and id < ${`${idPrefix}g`}`);
  return await readRecords(source, { filter, limit, conditions });
}
