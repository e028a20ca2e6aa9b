import { formatCount } from '../../shared/format.ts';

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const exactTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** Formats a number as `1,234` up to 9,999, then `12.3K`, `4.5M`. */
export function formatShortCount(count: number): string {
  return Math.abs(count) < 10_000 ? formatCount(count) : short.format(count);
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

/** Formats date and time in the person's locale. */
export function formatTimestamp(at: number): string {
  return exactTime.format(at);
}
