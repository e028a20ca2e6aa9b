import { type RawBuilder, sql } from 'kysely';
import type { z } from 'zod';
import {
  type CacheSaving,
  MAX_PERIOD_DAYS,
  type UsageGroup,
  type UsageGroups,
  type UsageHour,
  type UsageOf,
  type UsageOverview,
  type UsagePeriod,
  type UsageProperty,
  type UsageStep,
  type UsageTotals,
} from '../../../shared/history/usage.ts';
import { formatDay, formatTimeOfDay } from '../../../shared/format.ts';
import { Prices } from '../../../shared/money/price.ts';
import { UserError } from '../../errors.ts';
import { isInScope, type Store } from '../../store/store.ts';
import { chooseBucket, countDays, hourOfWeek, listSteps, periodBefore } from './periods.ts';
import { bucketColumns, FIRST_BYTE, RATE, SPEED_COLUMNS, toSpeed } from './speed-buckets.ts';
import { NUMBERS, toSums } from './sum-columns.ts';
import { HOUR_MS, type UsageKind } from './usage-rollup.ts';

/** Groups that are listed. */
const MAX_GROUPS = 200;
const MILLION = 1_000_000;

/** Exchanges whose usage is summed. */
export interface UsageQuery {
  readonly scope: UsageOf;
  readonly period: UsagePeriod;
}

/** Sums under the names of their columns. */
export type Sums = Readonly<Record<string, number>>;
type SumRow = Sums & { readonly key: string | null };

/** Columns that a query adds up. */
const SUMS = [...NUMBERS, ...SPEED_COLUMNS];
/** {@link SUMS} of totals that are kept, as columns in SQL. */
export const ALL_SUMS = SUMS.map((name) => `coalesce(sum(${name}), 0) as ${name}`).join(', ');

/** Returns the usage of a period, in time, by hour of the week, and against the period before. @throws UserError */
export async function readOverview(store: Store, query: UsageQuery): Promise<UsageOverview> {
  checkPeriod(query.period);
  const before = { ...query, period: periodBefore(query.period) };
  const [totals, totalsBefore, steps, hours, cache] = await Promise.all([
    readTotals(store, query),
    readTotals(store, before),
    readSteps(store, query),
    readHours(store, query),
    readCacheSaving(store, query),
  ]);
  const bucket = chooseBucket(query.period);
  return { period: query.period, totals, before: totalsBefore, bucket, steps, hours, cache };
}

/** The totals of one day (`2026-11-21`), hour (`2026-11-21 09:00`), model, client, route or project; `null` when the exchanges had none. */
export interface UsageRow extends UsageTotals {
  readonly key: string | null;
}

export type UsageKey = 'day' | 'hour' | z.infer<typeof UsageProperty>;

/** Returns the usage of a period by day or hour, newest first, or by another key, unsorted. @throws UserError */
export async function readUsage(
  store: Store,
  by: UsageKey,
  query: UsageQuery,
): Promise<UsageRow[]> {
  checkPeriod(query.period);
  const kind = by === 'day' ? 'route' : by;
  const rows =
    by === 'project'
      ? await sumProjects(store, query)
      : await sumRows(store, query, { kind, key: sql.ref(by === 'day' ? 'day' : 'name') });
  const named = rows.map((row) => ({ ...toTotals(row), key: row.key === '' ? null : row.key }));
  if (by !== 'day' && by !== 'hour') return named;
  const sorted = named.toSorted((one, other) => ((one.key ?? '') < (other.key ?? '') ? 1 : -1));
  return by === 'day' ? sorted : sorted.map((row) => ({ ...row, key: toHour(Number(row.key)) }));
}

/** Sums projects, and the exchanges of none: what the totals by route have more. Both are of the same moment. */
async function sumProjects(
  store: Store,
  { scope, period }: UsageQuery,
): Promise<readonly SumRow[]> {
  const { rows } =
    await sql<SumRow>`select case kind when 'project' then name end as key, ${sql.raw(ALL_SUMS)}
    from exchange_usage
    where kind in ('project', 'route') and day between ${period.since} and ${period.until} and ${isInScope(scope)}
    group by 1`.execute(store.db);
  const named = rows.filter(({ key }) => key !== null);
  const rest = subtractRows(rows.find(({ key }) => key === null) ?? {}, named);
  return rest === null ? named : [...named, Object.assign(rest, { key: '' })];
}

/** Returns what sums have more than those of some rows together; `null` when they have no more exchanges. */
export function subtractRows(all: Sums, rows: readonly Sums[]): Sums | null {
  const sums = addRows(rows);
  const rest = SUMS.map((name): [string, number] => [name, (all[name] ?? 0) - (sums[name] ?? 0)]);
  const row = Object.fromEntries(rest);
  return (row['exchanges'] ?? 0) > 0 ? row : null;
}

function toHour(hour: number): string {
  const at = hour * HOUR_MS;
  return `${formatDay(at)} ${formatTimeOfDay(at).slice(0, 'hh:mm'.length)}`;
}

/** Returns the usage of a period by a property. @throws UserError */
export async function readGroups(
  store: Store,
  query: UsageQuery & { readonly by: z.infer<typeof UsageProperty> },
): Promise<UsageGroups> {
  const rows = await readUsage(store, query.by, query);
  return sortGroups(rows.map(({ key, ...totals }) => ({ ...totals, name: key ?? '', run: null })));
}

/** Sorts groups and leaves out those at the end of a long list. */
export function sortGroups(groups: readonly UsageGroup[]): UsageGroups {
  const sorted = groups.toSorted(
    (one, other) =>
      (other.cost ?? 0) - (one.cost ?? 0) ||
      tokensOf(other) - tokensOf(one) ||
      other.exchanges - one.exchanges ||
      (one.name < other.name ? -1 : 1),
  );
  return { groups: sorted.slice(0, MAX_GROUPS), more: Math.max(0, sorted.length - MAX_GROUPS) };
}

function tokensOf({ input, output }: UsageGroup): number {
  return (input ?? 0) + (output ?? 0);
}

/** @throws UserError when the period is none, or too long */
export function checkPeriod(period: UsagePeriod): void {
  const days = countDays(period);
  if (days < 1) throw new UserError('The period ends before it begins.', 'until');
  if (days > MAX_PERIOD_DAYS) {
    throw new UserError(`A period has at most ${MAX_PERIOD_DAYS} days.`, 'since');
  }
}

interface SumBy {
  readonly kind: UsageKind;
  readonly key: RawBuilder<unknown>;
}

async function sumRows(
  store: Store,
  { scope, period }: UsageQuery,
  { kind, key }: SumBy,
): Promise<readonly SumRow[]> {
  const { rows } = await sql<SumRow>`select ${key} as key, ${sql.raw(ALL_SUMS)} from exchange_usage
    where kind = ${kind} and day between ${period.since} and ${period.until} and ${isInScope(scope)}
    group by 1`.execute(store.db);
  return rows;
}

/** The totals by route have every exchange once, in the fewest rows. */
async function readTotals(store: Store, query: UsageQuery): Promise<UsageTotals> {
  const [row] = await sumRows(store, query, { kind: 'route', key: sql`null` });
  return toTotals(row ?? {});
}

async function readSteps(store: Store, query: UsageQuery): Promise<UsageStep[]> {
  const bucket = chooseBucket(query.period);
  const steps = listSteps(query.period, bucket);
  const isByHour = bucket === 'hour';
  const key = isByHour ? sql`day || ' ' || name` : sql.ref('day');
  const rows = await sumRows(store, query, { kind: isByHour ? 'hour' : 'route', key });
  const found = new Map(rows.map((row) => [row.key, row]));
  const days = isByHour ? [] : [...found.keys()].map(String).toSorted();
  return steps.map(({ since, until, hour }) => {
    const keys = isByHour
      ? [`${since} ${hour}`]
      : days.filter((day) => day >= since && day <= until);
    const totals = toTotals(addRows(keys.map((one) => found.get(one) ?? {})));
    return { ...totals, since, until, hour: hour === null ? null : hour * HOUR_MS };
  });
}

function addRows(rows: readonly Sums[]): Sums {
  const [first = {}] = rows;
  if (rows.length <= 1) return first;
  const sum = (name: string) => rows.reduce((total, row) => total + (row[name] ?? 0), 0);
  return Object.fromEntries(SUMS.map((name) => [name, sum(name)]));
}

/** An hour is where its beginning is in local time. */
async function readHours(store: Store, { scope, period }: UsageQuery): Promise<UsageHour[]> {
  const { rows } = await sql<{
    name: string;
    exchanges: number;
    cost: number;
    known: number;
  }>`select name, sum(exchanges) as exchanges, sum(cost) as cost, sum(cost_known) as known from exchange_usage
    where kind = 'hour' and day between ${period.since} and ${period.until} and ${isInScope(scope)}
    group by 1`.execute(store.db);
  const hours: UsageHour[] = Array.from({ length: 168 }, () => ({ exchanges: 0, cost: null }));
  for (const { name, exchanges, cost, known } of rows) {
    const place = hourOfWeek(Number(name) * HOUR_MS);
    const hour = hours[place] ?? { exchanges: 0, cost: null };
    hours[place] = {
      exchanges: hour.exchanges + exchanges,
      cost: known > 0 ? (hour.cost ?? 0) + cost : hour.cost,
    };
  }
  return hours;
}

async function readCacheSaving(store: Store, query: UsageQuery): Promise<CacheSaving> {
  const { scope, period } = query;
  const { rows } = await sql<{
    tokens: number;
    prices: string | null;
    tiers: string | null;
  }>`select tokens, prices, tiers from (
      select name, sum(cache_read) as tokens from exchange_usage
      where kind = 'price' and cache_read > 0 and day between ${period.since} and ${period.until} and ${isInScope(scope)}
      group by name)
    left join price on price.id = cast(name as integer)`.execute(store.db);
  let saved: number | null = null;
  let counted = 0;
  for (const { tokens, prices, tiers } of rows) {
    // Which of several prices held for a request is not in the totals.
    if (prices === null || tiers !== '[]') continue;
    const { input, cacheRead } = Prices.parse(JSON.parse(prices));
    if (input === null) continue;
    saved = (saved ?? 0) + (tokens * (input - (cacheRead ?? input))) / MILLION;
    counted += tokens;
  }
  const { cacheRead } = await readTotals(store, query);
  return { tokens: cacheRead ?? 0, saved: saved === null ? null : Math.round(saved), counted };
}

/** Converts sums under the names of their columns. */
export function toTotals(row: Readonly<Record<string, unknown>>): UsageTotals {
  const speed = (measure: typeof FIRST_BYTE) =>
    toSpeed(
      measure,
      bucketColumns(measure).map((name) => Number(row[name] ?? 0)),
    );
  return {
    ...toSums(row),
    firstByte: speed(FIRST_BYTE),
    rate: speed(RATE),
  };
}
