import type { ExchangeRecord } from '../../shared/exchange/exchange.ts';
import type { HistoryFilter } from '../../shared/history/history.ts';
import { readExchangeRows, type HistorySource } from './page.ts';
import { fromRow } from './row.ts';

/** Filter of a list; an absent one matches everything. */
export interface ListFilter {
  readonly limit: number;
  readonly filter?: HistoryFilter;
}

/** Lists exchanges newest first, by their start. */
export async function listExchanges(
  source: HistorySource,
  { limit, filter = {} }: ListFilter,
): Promise<ExchangeRecord[]> {
  return (await readExchangeRows(source, { filter, limit })).map(fromRow);
}
