import type { UsagePeriod } from '../../../shared/history/usage.ts';
import { formatDay } from '../../../shared/format.ts';
import { oneOf, type ReadParam, searchReader, textUpTo } from '../../search-params.ts';

/** The periods to choose from. */
export const PERIODS = ['today', '7d', '30d', 'month', 'custom'] as const;
export type PeriodName = (typeof PERIODS)[number];

const GROUPINGS = ['model', 'client', 'run', 'project', 'route', 'tag'] as const;
export const MEASURES = ['money', 'tokens', 'requests', 'first-byte', 'rate'] as const;
export type Measure = (typeof MEASURES)[number];

const readDay: ReadParam<string> = (value) =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/u.test(value) ? value : undefined;

/** Reads the period, whose usage, the groups and the measure from the URL's search parameters. Invalid values are dropped. */
export const readUsageSearch = searchReader({
  period: oneOf(PERIODS),
  since: readDay,
  until: readDay,
  of: textUpTo(2_000),
  by: oneOf(GROUPINGS),
  measure: oneOf(MEASURES),
});

interface ChosenPeriod {
  readonly period?: PeriodName | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** Returns the days of a chosen period; `today`: the beginning of the local day, in Unix milliseconds. */
export function toPeriod(
  { period = '7d', since, until }: ChosenPeriod,
  today: number,
): UsagePeriod {
  const last = formatDay(today);
  const ago = (days: number): UsagePeriod => ({
    since: formatDay(daysBefore(today, days)),
    until: last,
  });
  switch (period) {
    case 'today':
      return ago(0);
    case '7d':
      return ago(6);
    case '30d':
      return ago(29);
    case 'month':
      return { since: `${last.slice(0, 'yyyy-mm'.length)}-01`, until: last };
    case 'custom':
      return { since: since ?? ago(6).since, until: until ?? last };
  }
}

function daysBefore(at: number, days: number): number {
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - days, 12).getTime();
}
