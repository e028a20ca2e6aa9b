import type { ExchangeId } from '../../../../shared/exchange/exchange.ts';
import { readId, searchReader } from '../../../search-params.ts';

/** Reads the two exchanges to compare from the URL's search parameters: the earlier one is usually left. */
export const readCompareSearch = searchReader({
  left: (value) => readId<ExchangeId>(value),
  right: (value) => readId<ExchangeId>(value),
});
