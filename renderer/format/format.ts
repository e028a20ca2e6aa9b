import { formatCount } from '../../shared/format.ts';

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const dayOfYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const exactDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const longDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' });
const exactTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** Formats a number as `1,234` up to 9,999, then `12.3K`, `4.5M`. */
export function formatShortCount(count: number): string {
  return Math.abs(count) < 10_000 ? formatCount(count) : short.format(count);
}

/** Formats a number of tokens as `8K`, `128K`, `1M`. */
export function formatTokens(count: number): string {
  return short.format(count);
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats an age as `now`, `12 s ago`, `5 min ago`, `3 h ago`, `2 d ago`. Times in the future count as now. */
export function formatRelativeTime(at: number, now: number): string {
  const age = now - at;
  if (age < 2 * SECOND) return 'now';
  if (age < MINUTE) return `${Math.floor(age / SECOND)} s ago`;
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min ago`;
  if (age < DAY) return `${Math.floor(age / HOUR)} h ago`;
  return `${formatCount(Math.floor(age / DAY))} d ago`;
}

/** Formats a day in the person's locale: `24 Nov`, with the year when it is not this one. */
export function formatShortDate(at: number, now = Date.now()): string {
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? dayOfYear : exactDay).format(at);
}

/** Formats a calendar day (`2026-11-24`) as {@link formatShortDate} does. */
export function formatCalendarDay(day: string, now = Date.now()): string {
  // Noon is on the same day even when the clocks change.
  return formatShortDate(new Date(`${day}T12:00`).getTime(), now);
}

/** Formats a day in the person's locale: `1 January 2026`. */
export function formatLongDate(at: number): string {
  return longDay.format(at);
}

/** Formats date and time in the person's locale. */
export function formatTimestamp(at: number): string {
  return exactTime.format(at);
}
