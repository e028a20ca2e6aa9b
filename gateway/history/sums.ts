import { type ExpressionBuilder, sql } from 'kysely';
import type { ExchangeRecord } from '../../shared/exchange.ts';
import type { UsageDay } from '../../shared/history.ts';
import type { SqlValue, Step, Store, Tables } from '../store/store.ts';
import { dayOf, lastDays } from './days.ts';

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

/** What was done with one model. */
export interface ModelUse {
  /** Unix time in milliseconds. */
  readonly lastUsedAt: number;
  readonly exchanges: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

const MOST_NAMES = 200;
const KEYS = ['day', 'client_id', 'client_name', 'model'] as const;
const COUNTS = ['exchanges', 'errors', 'reported', 'estimated', 'unknown'] as const;
const TOKENS = ['input', 'output', 'cache_read', 'cache_write', 'reasoning'] as const;
const COLUMNS = [...KEYS, 'last_at', ...COUNTS, ...TOKENS];

/** Adds one row of {@link sumStep} to what is there. Tokens are floating point: whole numbers would overflow over what a service once claimed. */
const ADD = `insert into exchange_sum (${COLUMNS.join(', ')}) values (${COLUMNS.map(() => '?').join(', ')})
on conflict do update set last_at = max(last_at, excluded.last_at), ${[
  ...COUNTS.map((name) => `${name} = ${name} + excluded.${name}`),
  ...TOKENS.map(
    (name) => `${name} = coalesce(${name} + excluded.${name}, ${name}, excluded.${name})`,
  ),
].join(', ')}`;

/** What adds these exchanges to the sums. To be written together with them. */
export function sumStep(exchanges: readonly ExchangeRecord[]): Step {
  const groups = Map.groupBy(exchanges, (exchange) => JSON.stringify(keysOf(exchange)));
  return { sql: ADD, rows: [...groups.values()].map(rowOf) };
}

function keysOf({ startedAt, clientId, clientName, modelSent, modelAsked }: ExchangeRecord) {
  return [dayOf(startedAt), clientId ?? '', clientName ?? '', modelSent ?? modelAsked ?? ''];
}

function rowOf(group: readonly ExchangeRecord[]): readonly SqlValue[] {
  const [first] = group;
  const counted = (test: (one: ExchangeRecord) => boolean) => group.filter(test).length;
  const sourced = (source: string) => counted(({ usage }) => usage.source === source);
  const added = (name: 'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'reasoning') => {
    const known = group.flatMap(({ usage }) => usage[name] ?? []);
    return known.length === 0 ? null : known.reduce((sum, count) => sum + count, 0);
  };
  return [
    ...(first === undefined ? [] : keysOf(first)),
    Math.max(...group.map(({ startedAt }) => startedAt)),
    group.length,
    counted(({ status, errorCode }) => (status ?? 0) >= 400 || errorCode !== null),
    sourced('reported'),
    sourced('estimated'),
    sourced('unknown'),
    added('input'),
    added('output'),
    added('cacheRead'),
    added('cacheWrite'),
    added('reasoning'),
  ];
}

/** Usage per key: days newest first, models and clients by their tokens. */
export async function sumUsage(store: Store, by: UsageKey): Promise<UsageRow[]> {
  const key = sql<string | null>`nullif(${sql.ref(by === 'client' ? 'client_name' : by)}, '')`;
  const tokens = sql`total(input) + total(output)`;
  return store.db
    .selectFrom('exchange_sum')
    .groupBy(key)
    .select((row) => [key.as('key'), ...sumsOf(row), ...detailsOf(row)])
    .orderBy(by === 'day' ? key : tokens, 'desc')
    .orderBy(key)
    .execute();
}

/** The last 30 local days, oldest first, days without exchanges included. `now` in Unix milliseconds. */
export async function sumDays(store: Store, now: number): Promise<UsageDay[]> {
  const days = lastDays(now);
  const rows = await store.db
    .selectFrom('exchange_sum')
    .where('day', '>=', days[0] ?? '')
    .groupBy('day')
    .select((row) => ['day', ...sumsOf(row)])
    .execute();
  const byDay = new Map(rows.map((row) => [row.day, row]));
  return days.map((day) => byDay.get(day) ?? { day, ...NOTHING });
}

/** The use of every model that an exchange was sent to, or asked for when nothing was sent. */
export async function sumModels(store: Store): Promise<Map<string, ModelUse>> {
  const rows = await store.db
    .selectFrom('exchange_sum')
    .where('model', '<>', '')
    .groupBy('model')
    .select(({ fn }) => [
      'model',
      fn.max('last_at').as('lastUsedAt'),
      fn.sum<number>('exchanges').as('exchanges'),
      sql<number>`total(input)`.as('inputTokens'),
      sql<number>`total(output)`.as('outputTokens'),
    ])
    .execute();
  return new Map(rows.map(({ model, ...use }) => [model, use]));
}

/** Names of clients and of models, most used first, at most 200 each. */
export async function listNames(store: Store): Promise<{ clients: string[]; models: string[] }> {
  const named = async (column: 'client_name' | 'model') => {
    const rows = await store.db
      .selectFrom('exchange_sum')
      .where(column, '<>', '')
      .groupBy(column)
      .select(sql<string>`${sql.ref(column)}`.as('name'))
      .orderBy(({ fn }) => fn.sum('exchanges'), 'desc')
      .orderBy(column)
      .limit(MOST_NAMES)
      .execute();
    return rows.map(({ name }) => name);
  };
  return { clients: await named('client_name'), models: await named('model') };
}

const NOTHING = {
  exchanges: 0,
  errors: 0,
  input: null,
  output: null,
  reported: 0,
  estimated: 0,
  unknown: 0,
};

type SumRow = ExpressionBuilder<Tables, 'exchange_sum'>;

function sumsOf({ fn }: SumRow) {
  return [
    fn.sum<number>('exchanges').as('exchanges'),
    fn.sum<number>('errors').as('errors'),
    fn.sum<number | null>('input').as('input'),
    fn.sum<number | null>('output').as('output'),
    fn.sum<number>('reported').as('reported'),
    fn.sum<number>('estimated').as('estimated'),
    fn.sum<number>('unknown').as('unknown'),
  ] as const;
}

function detailsOf({ fn }: SumRow) {
  return [
    fn.sum<number | null>('cache_read').as('cacheRead'),
    fn.sum<number | null>('cache_write').as('cacheWrite'),
    fn.sum<number | null>('reasoning').as('reasoning'),
  ] as const;
}
