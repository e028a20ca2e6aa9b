import { type ExpressionBuilder, type Kysely, type RawBuilder, sql } from 'kysely';
import type { ExchangeRecord } from '../../shared/exchange.ts';
import type { UsageDay } from '../../shared/history.ts';
import type { SqlValue, Statement, Store, Tables } from '../store/store.ts';
import { toDay, listLastDays } from './days.ts';

export type UsageKey = 'day' | 'model' | 'client';

/** Totals over the exchanges of one key. A total is `null` when no exchange had that number. */
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
  /** Number of exchanges with usage from the service, from an estimate, or without any: the totals lack the last. */
  readonly reported: number;
  readonly estimated: number;
  readonly unknown: number;
}

/** Usage of one model. */
export interface ModelUsage {
  /** Unix time in milliseconds. */
  readonly lastUsedAt: number;
  readonly exchanges: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

const MAX_NAMES = 200;
const KEYS = ['day', 'client_id', 'client_name', 'model'] as const;
const COUNTS = ['exchanges', 'errors', 'reported', 'estimated', 'unknown'] as const;
const TOKENS = ['input', 'output', 'cache_read', 'cache_write', 'reasoning'] as const;
type Token = (typeof TOKENS)[number];
const KNOWN = [
  'input_known',
  'output_known',
  'cache_read_known',
  'cache_write_known',
  'reasoning_known',
] as const;
const NUMBERS = [...COUNTS, ...TOKENS, ...KNOWN];
const COLUMNS = [...KEYS, 'last_at', ...NUMBERS];

/**
 * Adds a row of {@link addToTotalsStatement} to the stored totals. Tokens are floating point: integers would overflow with
 * absurd numbers from a service.
 */
const ADD_STATEMENT = `insert into exchange_sum (${COLUMNS.join(', ')}) values (${COLUMNS.map(() => '?').join(', ')})
on conflict do update set last_at = max(last_at, excluded.last_at),
  ${NUMBERS.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`;

/** Returns the statement that adds these exchanges to the totals. Must be written together with them. */
export function addToTotalsStatement(exchanges: readonly ExchangeRecord[]): Statement {
  const groups = Map.groupBy(exchanges, (exchange) => JSON.stringify(toKeys(exchange)));
  return { sql: ADD_STATEMENT, rows: [...groups.values()].map(toRow) };
}

function toKeys({ startedAt, clientId, clientName, modelSent, modelAsked }: ExchangeRecord) {
  return [toDay(startedAt), clientId ?? '', clientName ?? '', modelSent ?? modelAsked ?? ''];
}

function toRow(group: readonly ExchangeRecord[]): readonly SqlValue[] {
  const [first] = group;
  const countWhere = (test: (one: ExchangeRecord) => boolean) =>
    group.reduce((sum, one) => sum + (test(one) ? one.times : 0), 0);
  const countSource = (source: string) => countWhere(({ usage }) => usage.source === source);
  const names = ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const;
  return [
    ...(first === undefined ? [] : toKeys(first)),
    Math.max(...group.map(({ lastAt }) => lastAt)),
    countWhere(() => true),
    countWhere(({ status, errorCode }) => (status ?? 0) >= 400 || errorCode !== null),
    countSource('reported'),
    countSource('estimated'),
    countSource('unknown'),
    ...names.map((name) => group.reduce((sum, { usage }) => sum + (usage[name] ?? 0), 0)),
    ...names.map((name) => countWhere(({ usage }) => usage[name] !== null)),
  ];
}

/** Aggregates stored rows in the way of {@link addToTotalsStatement}. */
const SUM_COLUMNS = `sum(times),
  coalesce(sum(times) filter (where status >= 400 or error_code is not null), 0),
  ${['reported', 'estimated', 'unknown'].map((source) => `coalesce(sum(times) filter (where usage_source = '${source}'), 0)`).join(', ')},
  ${TOKENS.map((name) => `total(usage_${name})`).join(', ')},
  ${TOKENS.map((name) => `coalesce(sum(times) filter (where usage_${name} is not null), 0)`).join(', ')}`;

/** Key of a row of `exchange`. */
const ROW_KEY = `day, coalesce(client_id, ''), coalesce(client_name, ''), coalesce(model_sent, model_asked, '')`;

/** Matches a row of `exchange` with the row of `exchange_sum` that counts it. */
const SAME_KEY = `exchange.day = exchange_sum.day and coalesce(exchange.client_id, '') = exchange_sum.client_id
  and coalesce(exchange.client_name, '') = exchange_sum.client_name
  and coalesce(exchange.model_sent, exchange.model_asked, '') = exchange_sum.model`;

/** No two exchanges of one local day started further apart, in any time zone. */
const MAX_DAY_MS = 52 * 3_600_000;

/** A total without contributing exchanges is exactly 0, whatever rounding left of it. */
const SUBTRACT_CLAUSE = [
  ...[...COUNTS, ...KNOWN].map((name) => `${name} = ${name} - excluded.${name}`),
  ...TOKENS.map(
    (name) =>
      `${name} = case when ${name}_known = excluded.${name}_known then 0 else ${name} - excluded.${name} end`,
  ),
].join(', ');

/**
 * Subtracts exchanges from the totals. Must run before they are deleted, in the same transaction. Deletes totals of no
 * exchanges. `seqs` is an SQL expression for a list of `seq`.
 */
export async function subtractFromTotals(
  trx: Kysely<Tables>,
  seqs: RawBuilder<number>,
): Promise<void> {
  const key = sql.raw(ROW_KEY);
  const ofThese = sql`(${sql.raw(KEYS.join(', '))}) in (select ${key} from exchange where seq in ${seqs})`;
  await sql`insert into exchange_sum (${sql.raw(COLUMNS.join(', '))})
    select ${key}, max(last_at), ${sql.raw(SUM_COLUMNS)} from exchange where seq in ${seqs} group by 1, 2, 3, 4
    on conflict do update set ${sql.raw(SUBTRACT_CLAUSE)}`.execute(trx);
  await sql`delete from exchange_sum where exchanges <= 0 and ${ofThese}`.execute(trx);
  const deletedLastAt = sql`(select max(exchange.last_at) from exchange where seq in ${seqs} and ${sql.raw(SAME_KEY)})`;
  // Rarely needed, because the oldest are deleted first: the remaining ones of a total started later.
  await sql`update exchange_sum set last_at = coalesce((select max(exchange.last_at) from exchange
      where started_at between exchange_sum.last_at - ${MAX_DAY_MS} and exchange_sum.last_at
        and seq not in ${seqs} and ${sql.raw(SAME_KEY)}), last_at)
    where ${ofThese} and exchange_sum.last_at <= ${deletedLastAt}`.execute(trx);
}

/** Returns usage per key: days newest first, models and clients by their tokens. */
export async function sumUsage(store: Store, by: UsageKey): Promise<UsageRow[]> {
  const key = sql<string | null>`nullif(${sql.ref(by === 'client' ? 'client_name' : by)}, '')`;
  const tokens = sql`total(input) + total(output)`;
  return store.db
    .selectFrom('exchange_sum')
    .groupBy(key)
    .select((row) => [key.as('key'), ...selectSums(row), ...selectDetails()])
    .orderBy(by === 'day' ? key : tokens, 'desc')
    .orderBy(key)
    .execute();
}

/** Returns the last 30 local days, oldest first, including days without exchanges. `now` is in Unix milliseconds. */
export async function sumDays(store: Store, now: number): Promise<UsageDay[]> {
  const days = listLastDays(now);
  const rows = await store.db
    .selectFrom('exchange_sum')
    .where('day', '>=', days[0] ?? '')
    .groupBy('day')
    .select((row) => ['day', ...selectSums(row)])
    .execute();
  const byDay = new Map(rows.map((row) => [row.day, row]));
  return days.map((day) => byDay.get(day) ?? { day, ...NO_USAGE });
}

/** Returns the usage of every model that an exchange was sent to, or that was requested when nothing was sent. */
export async function sumModels(store: Store): Promise<Map<string, ModelUsage>> {
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

/** Returns the names of clients and models, most used first, at most 200 each. */
export async function listNames(store: Store): Promise<{ clients: string[]; models: string[] }> {
  const named = async (column: 'client_name' | 'model') => {
    const rows = await store.db
      .selectFrom('exchange_sum')
      .where(column, '<>', '')
      .groupBy(column)
      .select(sql<string>`${sql.ref(column)}`.as('name'))
      .orderBy(({ fn }) => fn.sum('exchanges'), 'desc')
      .orderBy(column)
      .limit(MAX_NAMES)
      .execute();
    return rows.map(({ name }) => name);
  };
  return { clients: await named('client_name'), models: await named('model') };
}

const NO_USAGE = {
  exchanges: 0,
  errors: 0,
  input: null,
  output: null,
  reported: 0,
  estimated: 0,
  unknown: 0,
};

type SumRow = ExpressionBuilder<Tables, 'exchange_sum'>;

function selectSums({ fn }: SumRow) {
  return [
    fn.sum<number>('exchanges').as('exchanges'),
    fn.sum<number>('errors').as('errors'),
    sumTokens('input').as('input'),
    sumTokens('output').as('output'),
    fn.sum<number>('reported').as('reported'),
    fn.sum<number>('estimated').as('estimated'),
    fn.sum<number>('unknown').as('unknown'),
  ] as const;
}

function selectDetails() {
  return [
    sumTokens('cache_read').as('cacheRead'),
    sumTokens('cache_write').as('cacheWrite'),
    sumTokens('reasoning').as('reasoning'),
  ] as const;
}

/** Returns `null` in SQL when no exchange had that number. */
function sumTokens(name: Token): RawBuilder<number | null> {
  const known = sql.ref(`${name}_known`);
  return sql`case when sum(${known}) > 0 then sum(${sql.ref(name)}) end`;
}
