import type { ExportRows, TimeZoneChoice } from '../../shared/reconcile/usage-columns.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The steps of time of sums; those of single requests are days. */
export interface Steps {
  readonly rows: ExportRows;
  readonly timeZone: TimeZoneChoice;
}

/** Returns the beginning of the step in which a time is. Unix milliseconds. */
export function startOfStep(at: number, { rows, timeZone }: Steps): number {
  if (timeZone === 'utc') {
    const step = rows === 'hour' ? HOUR_MS : DAY_MS;
    return Math.floor(at / step) * step;
  }
  const date = new Date(at);
  if (rows === 'hour') {
    // Setting the minutes would move the second of two equal hours to the first.
    return at - ((at - date.getTimezoneOffset() * MINUTE_MS) % HOUR_MS);
  }
  date.setHours(0, 0, 0, 0);
  return date.getTime();
}

/** Returns the end of the step in which a time is, which is the beginning of the next one. */
export function endOfStep(at: number, steps: Steps): number {
  const start = startOfStep(at, steps);
  if (steps.rows === 'hour') return start + HOUR_MS;
  if (steps.timeZone === 'utc') return start + DAY_MS;
  const date = new Date(start);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime();
}
