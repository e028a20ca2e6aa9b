import { formatDay } from '../../shared/format.ts';

/** Number of days that a window shows. */
const DAYS = 30;

/** Lists the last 30 local calendar days up to the one of `now` (Unix milliseconds), oldest first, as `2026-11-21`. */
export function listLastDays(now: number): string[] {
  const today = new Date(now);
  return Array.from({ length: DAYS }, (_, index) => {
    const ago = DAYS - 1 - index;
    // Noon exists on every day, even where the clock moves forward at midnight.
    return formatDay(
      new Date(today.getFullYear(), today.getMonth(), today.getDate() - ago, 12).getTime(),
    );
  });
}

/** Days and hours begin at full quarters of an hour in all time zones. */
export const QUARTER_MS = 15 * 60_000;

/** Creates a function like {@link formatDay} that remembers its latest day: it asks the system's time zone once in a quarter of an hour. */
export function createDayFormatter(): typeof formatDay {
  let latest = Number.NaN;
  let day = '';
  return (time) => {
    const quarter = Math.floor(time / QUARTER_MS);
    if (quarter !== latest) {
      latest = quarter;
      day = formatDay(time);
    }
    return day;
  };
}

/** Returns the first moment of a local calendar day, in Unix milliseconds. */
export function startOfDay(day: string): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date).getTime();
}
