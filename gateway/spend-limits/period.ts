import type { TimePeriod } from '../../shared/money/limit.ts';

/** A quarter of an hour in milliseconds; in all time zones days begin at one. */
export const QUARTER_MS = 15 * 60_000;

/** A time from `from` on, before `to`, in Unix milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const LENGTHS: Readonly<Record<TimePeriod, number>> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 31 * DAY_MS,
};

/** The longest time over which a limit counts, in milliseconds. */
export const LONGEST_PERIOD_MS = LENGTHS.month;

/** Returns the calendar period of the local time zone that contains a Unix time in milliseconds; weeks begin on Monday. */
export function calendarPeriod(period: TimePeriod, at: number): Span {
  const date = new Date(at);
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()];
  switch (period) {
    case 'minute':
    case 'hour': {
      // Time zones are ahead of UTC by quarters of an hour, so the local minute is a part of the local hour of the same offset.
      const into = period === 'minute' ? 0 : date.getMinutes() * MINUTE_MS;
      const from = Math.floor(at / MINUTE_MS) * MINUTE_MS - into;
      return { from, to: from + LENGTHS[period] };
    }
    case 'day':
      return { from: startOf(year, month, day), to: startOf(year, month, day + 1) };
    case 'week': {
      const monday = day - ((date.getDay() + 6) % 7);
      return { from: startOf(year, month, monday), to: startOf(year, month, monday + 7) };
    }
    case 'month':
      return { from: startOf(year, month, 1), to: startOf(year, month + 1, 1) };
  }
}

/** Returns the time that a rolling limit counts. */
export function rollingPeriod(period: TimePeriod, at: number): Span {
  return { from: at - LENGTHS[period], to: endOfCounting(at) };
}

/**
 * Returns until when use counts at a Unix time in milliseconds: up to the end of the quarter of an hour that a restart knows of, and
 * nothing that a clock that was ahead has recorded for later. It is a whole minute, so that sums over it can be kept.
 */
export function endOfCounting(at: number): number {
  return Math.ceil((at + QUARTER_MS) / MINUTE_MS) * MINUTE_MS;
}

/** Returns the first moment of a local day. */
function startOf(year: number, month: number, day: number): number {
  return new Date(year, month, day).getTime();
}
