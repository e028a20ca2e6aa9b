import type { History } from '../../../gateway/history/history.ts';
import type { HistoryCursor, HistoryFilter } from '../../../shared/history/history.ts';

/** Collects all pages of a filter. */
export async function allOf(
  history: History,
  filter: HistoryFilter,
  limit: number,
): Promise<string[]> {
  const ids: string[] = [];
  let before: HistoryCursor | undefined;
  do {
    const page = await history.page({ filter: { ...filter, each: true }, limit, before });
    ids.push(...page.exchanges.map(({ id }) => id));
    before = page.next ?? undefined;
  } while (before !== undefined);
  return ids;
}
