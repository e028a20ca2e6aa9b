import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { ExchangeSummary, RunningExchange } from '../../../shared/history/history.ts';

/** The rows of the list from its top: exchanges in progress, rows that were dropped from memory, loaded rows. */
export interface HistoryRows {
  readonly running: readonly RunningExchange[];
  readonly above: number;
  readonly rows: readonly ExchangeSummary[];
}

export type HistoryRow =
  | { readonly kind: 'running'; readonly exchange: RunningExchange }
  | { readonly kind: 'ended'; readonly exchange: ExchangeSummary }
  | { readonly kind: 'absent' };

export function rowCount({ running, above, rows }: HistoryRows): number {
  return running.length + above + rows.length;
}

export function findRow({ running, above, rows }: HistoryRows, index: number): HistoryRow {
  const underway = running[index];
  if (underway !== undefined) return { kind: 'running', exchange: underway };
  const exchange = rows[index - running.length - above];
  return exchange === undefined ? { kind: 'absent' } : { kind: 'ended', exchange };
}

/** Returns the id that a row keeps while further status checks are added to it. */
export function rowKey(exchange: Pick<ExchangeSummary, 'id' | 'checks'>): ExchangeId {
  return exchange.checks?.first ?? exchange.id;
}

/**
 * Finds the index of an exchange in the list; -1 when it is not there. `key`: that of its row when it was there last, by which it is found
 * after further status checks were added.
 */
export function findRowIndex(
  { running, above, rows }: HistoryRows,
  id: ExchangeId | null,
  key: ExchangeId | null = null,
): number {
  if (id === null) return -1;
  const underway = running.findIndex((exchange) => exchange.id === id);
  if (underway !== -1) return underway;
  const exact = rows.findIndex((exchange) => exchange.id === id);
  const row = exact === -1 ? rows.findIndex((exchange) => rowKey(exchange) === (key ?? id)) : exact;
  return row === -1 ? -1 : running.length + above + row;
}
