import { z } from 'zod';
import { UsageSums } from './history.ts';

/** A local calendar day: `2026-11-21`. */
const LocalDay = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/u, 'A day is written as 2026-11-21.')
  .refine(isDay, 'There is no such day.');

function isDay(day: string): boolean {
  const time = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(day);
}

/** The days of a period, both included. */
export const UsagePeriod = z.object({ since: LocalDay, until: LocalDay });
export type UsagePeriod = z.infer<typeof UsagePeriod>;

/** Whose usage: `services` for that of all services, otherwise the stable id of one, that of the sandbox too. */
export const UsageOf = z.string().min(1).max(2_000);
export type UsageOf = z.infer<typeof UsageOf>;

/** A period, and whose usage in it; absent: that of the sandbox while it is in use, otherwise that of all services. */
export const UsageInput = UsagePeriod.extend({ of: UsageOf.optional() });

/** Days in the longest period. */
export const MAX_PERIOD_DAYS = 3_660;

/** Median and 95th percentile, within 15 %, of the values of `of` answers. */
export const Speed = z.object({ median: z.number(), p95: z.number(), of: z.number().int() });
export type Speed = z.infer<typeof Speed>;

/** Totals, as {@link UsageSums}, with the speeds of answers with text; `null` when there was none. */
export const UsageTotals = UsageSums.extend({
  cacheRead: z.number().nullable(),
  cacheWrite: z.number().nullable(),
  /** The part of `cacheWrite` that services keep for an hour. */
  cacheWriteHour: z.number().nullable(),
  reasoning: z.number().nullable(),
  /** Milliseconds to the first byte. */
  firstByte: Speed.nullable(),
  /** Output tokens per second. */
  rate: Speed.nullable(),
});
export type UsageTotals = z.infer<typeof UsageTotals>;

/** The groups of usage by a property of each exchange, for which totals are kept. */
export const UsageProperty = z.enum(['model', 'client', 'route', 'project']);
/** The groups of usage. */
export const UsageGrouping = z.enum(['model', 'client', 'run', 'project', 'route', 'tag']);
export type UsageGrouping = z.infer<typeof UsageGrouping>;

export const UsageBucket = z.enum(['hour', 'day', 'week', 'month']);
export type UsageBucket = z.infer<typeof UsageBucket>;

/** Totals of one hour, day, week or month of a period. */
export const UsageStep = UsageTotals.extend({
  /** Its first and last day within the period. */
  since: LocalDay,
  until: LocalDay,
  /** Unix time in milliseconds at which the hour begins; `null` for longer steps. */
  hour: z.number().int().nullable(),
});
export type UsageStep = z.infer<typeof UsageStep>;

/** The use of one hour of the week. */
export const UsageHour = z.object({ exchanges: z.number().int(), cost: z.number().nullable() });
export type UsageHour = z.infer<typeof UsageHour>;

/** What cached input saved. */
export const CacheSaving = z.object({
  /** Tokens that were read from caches. */
  tokens: z.number(),
  /**
   * Millionths of the currency: what these tokens would have cost more as other input, by the prices in the rows; `null` when none can be
   * computed.
   */
  saved: z.number().nullable(),
  /** The tokens in it. Those without a price, and those of prices that depend on the length of a request, are not. */
  counted: z.number(),
});
export type CacheSaving = z.infer<typeof CacheSaving>;

/** The usage of a period. */
export const UsageOverview = z.object({
  period: UsagePeriod,
  totals: UsageTotals,
  /** The same for the period of the same length that ended before it. */
  before: UsageTotals,
  bucket: UsageBucket,
  /** Oldest first, including those without exchanges. */
  steps: z.array(UsageStep),
  /** 168 hours of the week in local time, from Monday 0:00. Requests without a valid local key are not among them. */
  hours: z.array(UsageHour).length(168),
  cache: CacheSaving,
});
export type UsageOverview = z.infer<typeof UsageOverview>;

/** The usage of one model, client, run, project, route or tag. */
export const UsageGroup = UsageTotals.extend({
  /** The name; an empty text for exchanges without one, which are one group. Of a run, its title. */
  name: z.string(),
  /** The id of a run; `null` for others. */
  run: z.string().nullable(),
});
export type UsageGroup = z.infer<typeof UsageGroup>;

/** Runs that are groups: the latest of a period. The exchanges of others are in the group of those without a run. */
export const MAX_USAGE_RUNS = 100;

/** The latest exchanges of a period among which runs are looked for. */
export const MAX_RUN_EXCHANGES = 200_000;

/** Returns whether a period may have earlier runs than those that are groups. */
export function mayLackRuns(
  groups: readonly { readonly exchanges: number; readonly run?: string | null | undefined }[],
): boolean {
  const runs = groups.filter(({ run }) => run != null).length;
  const exchanges = groups.reduce((sum, group) => sum + group.exchanges, 0);
  return runs >= MAX_USAGE_RUNS || exchanges > MAX_RUN_EXCHANGES;
}

/** Groups, those with the highest cost first, then by tokens. */
export const UsageGroups = z.object({
  groups: z.array(UsageGroup),
  /** Number of groups beyond those listed. */
  more: z.number().int(),
});
export type UsageGroups = z.infer<typeof UsageGroups>;

/** Exchanges without a cost whose model has a price by now. `since`: when the first one started, in Unix milliseconds. */
export const PriceableUse = z.object({
  exchanges: z.number().int(),
  since: z.number().nullable(),
});
export type PriceableUse = z.infer<typeof PriceableUse>;
