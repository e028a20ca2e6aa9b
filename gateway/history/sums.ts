import { type RawBuilder, sql } from 'kysely';
import type { UsageDay } from '../../shared/history.ts';
import type { Store } from '../store/store.ts';
import { lastDays } from './days.ts';
import { MODEL } from './filter.ts';

export type UsageKey = 'day' | 'model' | 'client';

/** Sums over the exchanges of one key. A sum is `null` when no exchange had that number. */
export interface UsageRow {
  /** A local calendar day (`2026-11-21`), a model id or a client's name; `null` when there was none. */
  readonly key: string | null;
  readonly exchanges: number;
  /** Exchanges with a status of 400 or more, or with an error code. */
  readonly errors: number;
  readonly input: number | null;
  readonly output: number | null;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
  readonly reasoning: number | null;
  /** How many exchanges have usage from the service, from an estimate, or none at all: the sums miss the last. */
  readonly reported: number;
  readonly estimated: number;
  readonly unknown: number;
}

const DAY_MS = 24 * 3_600_000;
const MOST_NAMES = 200;
const NO_USAGE: UsageRow = {
  key: null,
  exchanges: 0,
  errors: 0,
  input: null,
  output: null,
  cacheRead: null,
  cacheWrite: null,
  reasoning: null,
  reported: 0,
  estimated: 0,
  unknown: 0,
};

function keyOf(by: UsageKey): RawBuilder<string | null> {
  switch (by) {
    case 'day':
      return sql`strftime('%Y-%m-%d', started_at / 1000, 'unixepoch', 'localtime')`;
    case 'model':
      return MODEL;
    case 'client':
      return sql`client_name`;
  }
}

/** How many exchanges have this usage source. */
function sourced(source: 'reported' | 'estimated' | 'unknown') {
  return sql<number>`count(*) filter (where usage_source = ${source})`;
}

type Counted = 'input' | 'output' | 'cache_read' | 'cache_write' | 'reasoning';

/** Added up as floating point: whole numbers would overflow over what a service once claimed. */
function sumOf(count: Counted): RawBuilder<number | null> {
  return sql`sum(cast(${sql.ref(`usage_${count}`)} as real))`;
}

/** Usage per key: days newest first, models and clients by their tokens. `since` is Unix milliseconds, inclusive. */
export async function sumUsage(store: Store, by: UsageKey, since = 0): Promise<UsageRow[]> {
  const key = keyOf(by);
  const tokens = sql`total(usage_input) + total(usage_output)`;
  return store.db
    .selectFrom('exchange')
    .where('started_at', '>=', since)
    .groupBy(key)
    .select(({ fn }) => [
      key.as('key'),
      fn.countAll<number>().as('exchanges'),
      sql<number>`count(*) filter (where status >= 400 or error_code is not null)`.as('errors'),
      sumOf('input').as('input'),
      sumOf('output').as('output'),
      sumOf('cache_read').as('cacheRead'),
      sumOf('cache_write').as('cacheWrite'),
      sumOf('reasoning').as('reasoning'),
      sourced('reported').as('reported'),
      sourced('estimated').as('estimated'),
      sourced('unknown').as('unknown'),
    ])
    .orderBy(by === 'day' ? key : tokens, 'desc')
    .orderBy(key)
    .execute();
}

/** The last 30 local days, oldest first, days without exchanges included. `now` in Unix milliseconds. */
export async function sumDays(store: Store, now: number): Promise<UsageDay[]> {
  const days = lastDays(now);
  const rows = await sumUsage(store, 'day', now - (days.length + 1) * DAY_MS);
  const byDay = new Map(rows.map((row) => [row.key, row]));
  return days.map((day) => {
    const { exchanges, errors, input, output, reported, estimated, unknown } =
      byDay.get(day) ?? NO_USAGE;
    return { day, exchanges, errors, input, output, reported, estimated, unknown };
  });
}

/** What was done with one model. */
export interface ModelUse {
  /** Unix time in milliseconds. */
  readonly lastUsedAt: number;
  readonly exchanges: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The use of every model that an exchange was sent to, or asked for when nothing was sent. */
export async function sumModels(store: Store): Promise<Map<string, ModelUse>> {
  const rows = await store.db
    .selectFrom('exchange')
    .where(MODEL, 'is not', null)
    .groupBy(MODEL)
    .select(({ fn }) => [
      sql<string>`${MODEL}`.as('model'),
      fn.max<number>('started_at').as('lastUsedAt'),
      fn.countAll<number>().as('exchanges'),
      sql<number>`total(usage_input)`.as('inputTokens'),
      sql<number>`total(usage_output)`.as('outputTokens'),
    ])
    .execute();
  return new Map(rows.map(({ model, ...use }) => [model, use]));
}

/** Names of clients and of models, most used first, at most 200 each. */
export async function listNames(store: Store): Promise<{ clients: string[]; models: string[] }> {
  const named = async (by: 'client' | 'model') => {
    const rows = await sumUsage(store, by);
    const used = rows.toSorted((a, b) => b.exchanges - a.exchanges);
    return used.flatMap(({ key }) => key ?? []).slice(0, MOST_NAMES);
  };
  return { clients: await named('client'), models: await named('model') };
}
