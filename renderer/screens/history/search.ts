import { MAX_FILTER_LENGTH } from '../../../shared/filter-language/limits.ts';
import type { HistoryFilter } from '../../../shared/history/history.ts';
import { searchReader, textUpTo } from '../../search-params.ts';

const MAX_ID_LENGTH = 64;

const READERS = {
  /** A filter in the language of `shared/filter-language/`, as it was typed: a space at the end begins the next word. */
  filter: textUpTo(MAX_FILTER_LENGTH),
  exchange: textUpTo(MAX_ID_LENGTH),
};

/** Reads the filter and the open exchange from the URL's search parameters. Invalid values are dropped. */
export const readHistorySearch = searchReader(READERS);

/** Whether a filter excludes or spreads anything. */
export function isNarrowed(filter: HistoryFilter): boolean {
  return Object.keys(filter).length > 0;
}
