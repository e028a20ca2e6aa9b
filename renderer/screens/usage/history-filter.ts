import type { UsagePeriod } from '../../../shared/history/usage.ts';
import { printPattern } from '../../../shared/filter-language/print.ts';
import { toPattern } from '../../../shared/name-pattern.ts';

const FIELDS: ReadonlySet<string> = new Set(['model', 'client', 'route', 'tag']);

/** Returns the filter of the history for a period, and a group in it. `term`: that of the exchanges which the totals cover. */
export function toFilter(
  { since, until }: UsagePeriod,
  term: string,
  group?: { readonly by: string; readonly name: string },
): string {
  const named =
    group !== undefined && FIELDS.has(group.by) && group.name !== ''
      ? `${group.by}:${printPattern(toPattern(group.name))}`
      : '';
  return [named, `since:${since}`, `until:${until}`, term].filter((part) => part !== '').join(' ');
}
