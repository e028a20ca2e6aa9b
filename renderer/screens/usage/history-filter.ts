import type { UsagePeriod, UsageStep } from '../../../shared/history/usage.ts';
import { printPattern } from '../../../shared/filter-language/print.ts';
import { printFilter } from '../../../shared/filter-language/print-filter.ts';
import { toPattern } from '../../../shared/name-pattern.ts';

const FIELDS: ReadonlySet<string> = new Set(['model', 'client', 'project', 'route', 'tag']);
const HOUR_MS = 3_600_000;

/** Returns the filter of the history for a step of a period. */
export function toStepFilter({ since, until, hour }: UsageStep, term: string): string {
  return hour === null ? toFilter({ since, until }, term) : toHourFilter(hour, term);
}

/** Returns the filter of the history for the hour that begins at a time in Unix milliseconds. */
export function toHourFilter(hour: number, term: string): string {
  const times = printFilter({ since: hour, until: hour + HOUR_MS });
  return term === '' ? times : `${times} ${term}`;
}

/**
 * Returns the beginning of an hour of the week, counted from Monday, where a period has it once. Totals are kept by the hours of UTC, and
 * one is at the local hour in which it begins: when the clocks change, a day has one twice, or not. Unix milliseconds; `null` where it is
 * there more often, or never.
 */
export function findHour({ since, until }: UsagePeriod, day: number, hour: number): number | null {
  const first = new Date(`${since}T00:00`).getTime();
  const end = new Date(`${until}T00:00`);
  end.setDate(end.getDate() + 1);
  const found: number[] = [];
  for (let at = Math.ceil(first / HOUR_MS) * HOUR_MS; at < end.getTime(); at += HOUR_MS) {
    const date = new Date(at);
    if ((date.getDay() + 6) % 7 === day && date.getHours() === hour) found.push(at);
    if (found.length > 1) return null;
  }
  return found[0] ?? null;
}

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
