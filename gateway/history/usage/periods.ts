import type { UsageBucket, UsagePeriod } from '../../../shared/history/usage.ts';
import { formatDay } from '../../../shared/format.ts';
import { startOfDay } from '../days.ts';
import { HOUR_MS } from './usage-rollup.ts';

/** The days of a step within its period, and its hour since 1970 in UTC; `null` for a step of days. */
export interface PeriodStep extends UsagePeriod {
  readonly hour: number | null;
}

/** The longest periods, in days, that have these steps. */
const MAX_DAYS = { hour: 2, day: 62, week: 200 } as const;

/** Chooses the steps of a period, so that there are at most a few dozen. */
export function chooseBucket(period: UsagePeriod): UsageBucket {
  const days = countDays(period);
  if (days <= MAX_DAYS.hour) return 'hour';
  if (days <= MAX_DAYS.day) return 'day';
  return days <= MAX_DAYS.week ? 'week' : 'month';
}

/** Lists the steps of a period, oldest first: weeks begin on Monday, and the first and the last step may be parts. */
export function listSteps(period: UsagePeriod, bucket: UsageBucket): PeriodStep[] {
  return bucket === 'hour' ? listHours(period) : listDaySteps(period, bucket);
}

/** A day may have 23 or 25 hours, and begin within an hour of UTC. */
function listHours({ since, until }: UsagePeriod): PeriodStep[] {
  const steps: PeriodStep[] = [];
  for (let day = since; day <= until; day = addDays(day, 1)) {
    const from = Math.floor(startOfDay(day) / HOUR_MS);
    const end = Math.ceil(startOfDay(addDays(day, 1)) / HOUR_MS);
    for (let hour = from; hour < end; hour += 1) steps.push({ since: day, until: day, hour });
  }
  return steps;
}

function listDaySteps({ since, until }: UsagePeriod, bucket: UsageBucket): PeriodStep[] {
  const steps: PeriodStep[] = [];
  for (let day = since; day <= until;) {
    const next = startOfNext(day, bucket);
    const last = addDays(next, -1);
    steps.push({ since: day, until: last < until ? last : until, hour: null });
    day = next;
  }
  return steps;
}

function startOfNext(day: string, bucket: UsageBucket): string {
  const noon = new Date(toNoon(day));
  if (bucket === 'month') {
    return formatDay(new Date(noon.getFullYear(), noon.getMonth() + 1, 1, 12).getTime());
  }
  const toMonday = 7 - ((noon.getDay() + 6) % 7);
  return addDays(day, bucket === 'week' ? toMonday : 1);
}

/** Returns the period of the same number of days that ends before this one. */
export function periodBefore(period: UsagePeriod): UsagePeriod {
  const days = countDays(period);
  return { since: addDays(period.since, -days), until: addDays(period.since, -1) };
}

/** Returns the number of days of a period; 0 or less when it ends before it begins. */
export function countDays({ since, until }: UsagePeriod): number {
  return Math.round((Date.parse(until) - Date.parse(since)) / (24 * HOUR_MS)) + 1;
}

/** Returns the local day so many days after another. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 24 * HOUR_MS).toISOString().slice(0, 10);
}

/** Noon exists on every day, even where the clock moves forward at midnight. */
function toNoon(day: string): number {
  return startOfDay(day) + 12 * HOUR_MS;
}

/** Returns the place of a time in the week of local hours, from Monday 0:00. */
export function hourOfWeek(at: number): number {
  const date = new Date(at);
  return ((date.getDay() + 6) % 7) * 24 + date.getHours();
}
