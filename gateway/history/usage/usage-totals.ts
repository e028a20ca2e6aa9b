import { type ExpressionBuilder, type Kysely, type RawBuilder, sql } from 'kysely';
import type { UsageDay, UsageScope } from '../../../shared/history/history.ts';
import { isInScope, type Statement, type Store, type Tables } from '../../store/store.ts';
import { listLastDays } from '../days.ts';
import { type ExchangeGroup, nameModel } from './exchange-groups.ts';
import {
  ADD_CLAUSE,
  addNumbers,
  NUMBERS,
  type Sum,
  SUBTRACT_CLAUSE,
  SUM_COLUMNS,
} from './sum-columns.ts';

/** Usage of one model. */
export interface ModelUsage {
  /** Unix time in milliseconds. */
  readonly lastUsedAt: number;
  readonly exchanges: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

const MAX_NAMES = 200;
const KEYS = ['day', 'service', 'client_id', 'client_name', 'model'] as const;
const COLUMNS: readonly string[] = [...KEYS, 'last_at', ...NUMBERS];

/** Adds a row of {@link addToTotalsStatement} to the stored totals. */
const ADD_STATEMENT = `insert into exchange_sum (${COLUMNS.join(', ')}) values (${COLUMNS.map(() => '?').join(', ')})
on conflict do update set last_at = max(last_at, excluded.last_at), ${ADD_CLAUSE}`;

/** Returns the statement that adds these exchanges to the totals. Must be written together with them. */
export function addToTotalsStatement(groups: readonly ExchangeGroup[]): Statement {
  const totals = new Map<
    string,
    { readonly keys: readonly string[]; lastAt: number; numbers: number[] }
  >();
  for (const { first, day, numbers, lastAt } of groups) {
    const { service, clientId, clientName } = first;
    const keys = [day, service ?? '', clientId ?? '', clientName ?? '', nameModel(first)];
    const key = JSON.stringify(keys);
    const total = totals.get(key);
    if (total === undefined) totals.set(key, { keys, lastAt, numbers: [...numbers] });
    else {
      total.lastAt = Math.max(total.lastAt, lastAt);
      addNumbers(total.numbers, numbers);
    }
  }
  const rows = [...totals.values()].map(({ keys, lastAt, numbers }) => [
    ...keys,
    lastAt,
    ...numbers,
  ]);
  return { sql: ADD_STATEMENT, rows };
}

/** Key of a row of `exchange`. */
const ROW_KEY = `day, coalesce(service, ''), coalesce(client_id, ''), coalesce(client_name, ''), coalesce(model_sent, model_asked, '')`;

/** Matches a row of `exchange` with the row of `exchange_sum` that counts it. */
const SAME_KEY = `exchange.day = exchange_sum.day and coalesce(exchange.service, '') = exchange_sum.service
  and coalesce(exchange.client_id, '') = exchange_sum.client_id
  and coalesce(exchange.client_name, '') = exchange_sum.client_name
  and coalesce(exchange.model_sent, exchange.model_asked, '') = exchange_sum.model`;

/** No two exchanges of one local day started further apart, in any time zone. */
const MAX_DAY_MS = 52 * 3_600_000;

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
    select ${key}, max(last_at), ${sql.raw(SUM_COLUMNS)} from exchange where seq in ${seqs} group by 1, 2, 3, 4, 5
    on conflict do update set ${sql.raw(SUBTRACT_CLAUSE)}`.execute(trx);
  await sql`delete from exchange_sum where exchanges <= 0 and ${ofThese}`.execute(trx);
  const deletedLastAt = sql`(select max(exchange.last_at) from exchange where seq in ${seqs} and ${sql.raw(SAME_KEY)})`;
  // Rarely needed, because the oldest are deleted first: the remaining ones of a total started later.
  await sql`update exchange_sum set last_at = coalesce((select max(exchange.last_at) from exchange
      where started_at between exchange_sum.last_at - ${MAX_DAY_MS} and exchange_sum.last_at
        and seq not in ${seqs} and ${sql.raw(SAME_KEY)}), last_at)
    where ${ofThese} and exchange_sum.last_at <= ${deletedLastAt}`.execute(trx);
}

/** Returns the last 30 local days, oldest first, including days without exchanges. `now` is in Unix milliseconds. */
export async function sumDays(store: Store, now: number, scope: UsageScope): Promise<UsageDay[]> {
  const days = listLastDays(now);
  const rows = await store.db
    .selectFrom('exchange_sum')
    .where('day', '>=', days[0] ?? '')
    .where(isInScope(scope))
    .groupBy('day')
    .select((row) => ['day', ...selectSums(row)])
    .execute();
  const byDay = new Map(rows.map((row) => [row.day, row]));
  return days.map((day) => byDay.get(day) ?? { day, ...NO_USAGE });
}

/** Returns the usage of every model that an exchange was sent to, or that was requested when nothing was sent. */
export async function sumModels(store: Store, scope: UsageScope): Promise<Map<string, ModelUsage>> {
  const rows = await store.db
    .selectFrom('exchange_sum')
    .where('model', '<>', '')
    .where(isInScope(scope))
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

/** Names to filter by: of clients and models, and ids of services. */
export interface UsedNames {
  readonly clients: string[];
  readonly models: string[];
  readonly services: string[];
}

/** Returns the names that occur, most used first, at most 200 of each kind. */
export async function listNames(store: Store): Promise<UsedNames> {
  const named = async (column: 'client_name' | 'model' | 'service') => {
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
  return {
    clients: await named('client_name'),
    models: await named('model'),
    services: await named('service'),
  };
}

const NO_USAGE = {
  exchanges: 0,
  errors: 0,
  refused: 0,
  input: null,
  output: null,
  reported: 0,
  estimated: 0,
  unknown: 0,
  cost: null,
  costEstimated: 0,
  unpriced: 0,
};

type SumRow = ExpressionBuilder<Tables, 'exchange_sum'>;

function selectSums({ fn }: SumRow) {
  return [
    fn.sum<number>('exchanges').as('exchanges'),
    fn.sum<number>('errors').as('errors'),
    fn.sum<number>('refused').as('refused'),
    sumKnown('input').as('input'),
    sumKnown('output').as('output'),
    fn.sum<number>('reported').as('reported'),
    fn.sum<number>('estimated').as('estimated'),
    fn.sum<number>('unknown').as('unknown'),
    sumKnown('cost').as('cost'),
    fn.sum<number>('cost_estimated').as('costEstimated'),
    fn.sum<number>('unpriced').as('unpriced'),
  ] as const;
}

/** Returns `null` in SQL when no exchange had that number. */
function sumKnown(name: Sum): RawBuilder<number | null> {
  const known = sql.ref(`${name}_known`);
  return sql`case when sum(${known}) > 0 then sum(${sql.ref(name)}) end`;
}
