import { printFilter } from '../../shared/filter-language/print-filter.ts';
import type { HistoryFilter } from '../../shared/history/history.ts';

/** Returns the search parameters with which the history shows what a filter selects. */
export function toHistorySearch(filter: HistoryFilter): { readonly filter: string } {
  return { filter: printFilter(filter) };
}
