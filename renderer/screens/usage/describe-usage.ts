import type { Speed, UsagePeriod, UsageStep } from '../../../shared/history/usage.ts';
import { formatCount, formatTimeOfDay } from '../../../shared/format.ts';
import { formatCalendarDay } from '../../format/format.ts';

/** Formats tokens per second: `7.4`, `85`, `2,737`; an en dash for `null`. */
export function formatRate(rate: number | null): string {
  return rate !== null && rate < 10 ? rate.toFixed(1) : formatCount(rate);
}

/** Answers of which a 95th percentile says something. */
const MIN_FOR_TAIL = 5;

/** Returns whether there are enough answers for a 95th percentile. */
export function hasTail({ of }: Speed): boolean {
  return of >= MIN_FOR_TAIL;
}

/** Describes a number against that of the period before: `+25% than before`; `null` when one of them is not known or zero. */
export function describeChange(now: number | null, before: number | null): string | null {
  if (now === null || before === null || before === 0) return null;
  const change = Math.round((now / before - 1) * 100);
  if (change === 0) return 'as before';
  if (change > 999) return 'over ten times as much';
  return `${Math.abs(change)}% ${change > 0 ? 'more' : 'less'} than before`;
}

const monthAndYear = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric' });

/** Names a step: `14:00`, `21 Nov`, `16 – 22 Nov`, `Nov 2026`. */
export function labelStep({ since, until, hour }: UsageStep, bucket: string): string {
  if (hour !== null) return formatTimeOfDay(hour).slice(0, 'hh:mm'.length);
  if (bucket === 'month') return monthAndYear.format(new Date(`${since}T12:00`));
  return describePeriod({ since, until });
}

/** Names a period of days, with the year of its end when that is not this one, and of its beginning when that is another. */
export function describePeriod({ since, until }: UsagePeriod, now = Date.now()): string {
  const last = formatCalendarDay(until, now);
  if (since === until) return last;
  return `${formatCalendarDay(since, new Date(`${until}T12:00`).getTime())} – ${last}`;
}
