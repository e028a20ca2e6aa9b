import type { UsagePeriod, UsageStep } from '../../../shared/history/usage.ts';
import { formatDay } from '../../../shared/format.ts';
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
 * Returns the beginning of an hour of the week, counted from Monday, where it is in a period once: of at most seven days. Unix
 * milliseconds; `null` where it is there more often, or never.
 */
export function findHour({ since, until }: UsagePeriod, day: number, hour: number): number | null {
  const days: string[] = [];
  for (let at = new Date(`${since}T12:00`); formatDay(at.getTime()) <= until;) {
    days.push(formatDay(at.getTime()));
    if (days.length > DAYS_OF_WEEK) return null;
    at = new Date(at.getFullYear(), at.getMonth(), at.getDate() + 1, 12);
  }
  const found = days.find(
    (one) => (new Date(`${one}T12:00`).getDay() + DAYS_OF_WEEK - 1) % DAYS_OF_WEEK === day,
  );
  return found === undefined
    ? null
    : new Date(`${found}T${String(hour).padStart(2, '0')}:00`).getTime();
}

const DAYS_OF_WEEK = 7;

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
