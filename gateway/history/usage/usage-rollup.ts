import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { ExchangeRecord } from '../../../shared/exchange/exchange.ts';
import { lacksLocalKey } from '../../../shared/exchange/outcome.ts';
import type { Statement, Tables } from '../../store/store.ts';
import { type ExchangeGroup, nameModel } from './exchange-groups.ts';
import { MEASURED_COLUMNS, SPEED_COLUMNS, SPEED_SUMS, withBuckets } from './speed-buckets.ts';
import { ADD_CLAUSE, addNumbers, NUMBERS, SUBTRACT_CLAUSE, SUM_COLUMNS } from './sum-columns.ts';

/** The kinds of totals in `exchange_usage`, each of which has every exchange at most once. */
export type UsageKind = 'hour' | 'client' | 'model' | 'route' | 'price' | 'project';

export const HOUR_MS = 3_600_000;

const KEYS = ['kind', 'day', 'service', 'name'] as const;
const COLUMNS = [...KEYS, ...NUMBERS, ...SPEED_COLUMNS];

const ADD_ALL = `${ADD_CLAUSE}, ${SPEED_COLUMNS.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`;
const ADD_STATEMENT = `insert into exchange_usage (${COLUMNS.join(', ')}) values (${COLUMNS.map(() => '?').join(', ')})
on conflict do update set ${ADD_ALL}`;

/** Returns the statement that adds these exchanges to the totals by hour, client, model, route, price and project. Must be written together with them. */
export function addToUsageStatement(groups: readonly ExchangeGroup[]): Statement {
  const totals = new Map<
    string,
    { readonly keys: readonly string[]; readonly numbers: number[] }
  >();
  for (const { first, day, numbers, speeds } of groups) {
    const sums = [...numbers, ...speeds];
    for (const [kind, name] of listNames(first)) {
      const keys = [kind, day, first.service ?? '', name];
      const key = JSON.stringify(keys);
      const total = totals.get(key);
      if (total === undefined) totals.set(key, { keys, numbers: [...sums] });
      else addNumbers(total.numbers, sums);
    }
  }
  const rows = [...totals.values()].map(({ keys, numbers }) => [...keys, ...numbers]);
  return { sql: ADD_STATEMENT, rows };
}

/** Equal requests without a valid local key are one row with the time of the first, so the hours of the others are not known. */
function listNames(exchange: ExchangeRecord): (readonly [UsageKind, string])[] {
  const { startedAt, clientName, route, cost, sender } = exchange;
  const names: (readonly [UsageKind, string])[] = [
    ['client', clientName ?? ''],
    ['model', nameModel(exchange)],
    ['route', route],
  ];
  if (!lacksLocalKey(exchange)) names.push(['hour', String(Math.floor(startedAt / HOUR_MS))]);
  if (sender?.project != null) names.push(['project', sender.project]);
  if (cost?.priceId != null) names.push(['price', String(cost.priceId)]);
  return names;
}

/** {@link listNames} for rows of `exchange`. */
const NAME_OF = `case kind
  when 'client' then coalesce(client_name, '')
  when 'model' then coalesce(model_sent, model_asked, '')
  when 'route' then route
  when 'project' then sender ->> '$.project'
  when 'hour' then case when client_name is null or (ended_by = 'gateway' and error_code is 'invalid_local_key')
    then null else cast(started_at / ${HOUR_MS} as text) end
  else cast(price_id as text) end`;

const ALL_KINDS = `select 'client' as kind union all select 'model' union all select 'route' union all select 'hour' union all select 'price' union all select 'project'`;

const SUBTRACT_ALL = `${SUBTRACT_CLAUSE}, ${SPEED_COLUMNS.map((name) => `${name} = ${name} - excluded.${name}`).join(', ')}`;

/**
 * Subtracts exchanges from the totals of {@link addToUsageStatement}. Must run before they are changed or deleted, in the same
 * transaction. `seqs` is an SQL expression for a list of `seq`.
 */
export async function subtractFromUsage(
  trx: Kysely<Tables>,
  seqs: RawBuilder<number>,
): Promise<void> {
  await sumStored(trx, seqs, SUBTRACT_ALL);
  await sql`delete from exchange_usage where exchanges <= 0
    and day in (select day from exchange where seq in ${seqs})`.execute(trx);
}

/** Adds stored exchanges to the totals again after they were changed, in the same transaction as {@link subtractFromUsage}. */
export async function addStoredToUsage(
  trx: Kysely<Tables>,
  seqs: RawBuilder<number>,
): Promise<void> {
  await sumStored(trx, seqs, ADD_ALL);
}

async function sumStored(
  trx: Kysely<Tables>,
  seqs: RawBuilder<number>,
  change: string,
): Promise<void> {
  const rows = sql`select day, coalesce(service, '') as service, client_name, model_sent, model_asked, started_at,
    sender, price_id, ${sql.raw(MEASURED_COLUMNS)} from exchange where seq in ${seqs}`;
  await sql`insert into exchange_usage (${sql.raw(COLUMNS.join(', '))})
    with ${withBuckets(rows)}, named as materialized (
      select *, ${sql.raw(NAME_OF)} as name from measured, (${sql.raw(ALL_KINDS)}))
    select kind, day, service, name, ${sql.raw(SUM_COLUMNS)}, ${sql.raw(SPEED_SUMS)} from named
    where name is not null group by 1, 2, 3, 4
    on conflict do update set ${sql.raw(change)}`.execute(trx);
}
