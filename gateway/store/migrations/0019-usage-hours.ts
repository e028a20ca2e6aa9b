import type { Migration } from '../schema.ts';

/** Adds totals by hour, client, model, route and price with histograms of speeds, and fills them from the exchanges. Never edited. */
export const usageHours: Migration = {
  statements: () => [CREATE],
  fill: async (run) => {
    const [row] = await run('select max(seq) as last from exchange');
    for (let seq = 0; seq < Number(row?.['last'] ?? 0); seq += AT_A_TIME) {
      await run(fillTotals(TOTALS, seq, seq + AT_A_TIME));
    }
  },
};

/** Totals that are filled from the exchanges. */
export interface FilledTotals {
  /** A query of the kinds of totals. */
  readonly kinds: string;
  /** A column, or an expression of columns, that the name uses as `own`. */
  readonly column: string;
  /** The name of an exchange in each kind; null where it has none. */
  readonly toName: string;
  /** Whether an exchange is counted as an error. */
  readonly failed: string;
}

/** So few rows are sorted in memory. */
const AT_A_TIME = 5000;

const FIRST_BYTE_ENDS = listEnds(10, 39);
const RATE_ENDS = listEnds(1, 31);

function listEnds(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, place) => Math.round(first * 1.3 ** place * 100) / 100);
}

const COUNTS = [
  'exchanges',
  'errors',
  'reported',
  'estimated',
  'unknown',
  'cost_estimated',
  'unpriced',
];
const SUMMED = ['input', 'output', 'cache_read', 'cache_write', 'reasoning', 'cost'];
const KNOWN = SUMMED.map((name) => `${name}_known`);
const FIRST_BYTES = listColumns('f', FIRST_BYTE_ENDS);
const RATES = listColumns('r', RATE_ENDS);

function listColumns(letter: string, ends: readonly number[]): readonly string[] {
  return Array.from({ length: ends.length + 1 }, (_, place) => `${letter}${place}`);
}

const CREATE = `create table exchange_usage (
  kind text not null,
  day text not null,
  service text not null,
  name text not null,
  ${[...COUNTS, ...KNOWN, ...FIRST_BYTES, ...RATES].map((name) => `${name} integer not null,`).join('\n  ')}
  ${SUMMED.map((name) => `${name} real not null,`).join('\n  ')}
  primary key (kind, day, service, name)
) strict, without rowid`;

const IS_ANSWER = `attempts > 0 and status between 200 and 299 and route in ('chat', 'responses', 'messages')`;
const RATE_MS = 'duration_ms - streamed * coalesce(first_byte_ms, 0)';

/** The totals by client, model, route, hour and price. */
export const TOTALS: FilledTotals = {
  kinds: `select 'client' as kind union all select 'model' union all select 'route' union all select 'hour'
  union all select 'price'`,
  column: 'price_id',
  toName: `case kind
  when 'client' then coalesce(client_name, '')
  when 'model' then coalesce(model_sent, model_asked, '')
  when 'route' then route
  when 'hour' then case when client_name is null or (ended_by = 'gateway' and error_code is 'invalid_local_key')
    then null else cast(started_at / 3600000 as text) end
  else cast(own as text) end`,
  failed: 'status >= 400 or error_code is not null',
};

/** Adds the exchanges after one `seq` up to another. Groups them by their buckets first, which takes a third of the time. */
export function fillTotals(
  { kinds, column, toName, failed }: FilledTotals,
  after: number,
  last: number,
): string {
  const sums = [
    'sum(times) as exchanges',
    sumIf('errors', failed),
    sumIf('reported', `usage_source = 'reported'`),
    sumIf('estimated', `usage_source = 'estimated'`),
    sumIf('unknown', `usage_source = 'unknown' and ${IS_ANSWER}`),
    sumIf('cost_estimated', `cost_source = 'estimated'`),
    sumIf('unpriced', 'cost_source is not null and cost is null'),
    ...SUMMED.map((sum) => `total(${columnOf(sum)}) as ${sum}`),
    ...SUMMED.map((sum) => sumIf(`${sum}_known`, `${columnOf(sum)} is not null`)),
  ].join(', ');
  const totals = [...COUNTS, ...SUMMED, ...KNOWN];
  const buckets = [...FIRST_BYTES, ...RATES];
  return `insert into exchange_usage (kind, day, service, name, ${[...totals, ...buckets].join(', ')})
    with valued as materialized (
      select day, service, client_name, model_sent, model_asked, started_at, ended_by, times, status, error_code, attempts,
        ${column} as own, route, usage_source, usage_input, usage_output, usage_cache_read, usage_cache_write, usage_reasoning, cost, cost_source,
        case when ${IS_ANSWER} then first_byte_ms end as first_byte,
        case when ${IS_ANSWER} and usage_output > 0 and ${RATE_MS} > 0 then usage_output * 1000.0 / (${RATE_MS}) end as rate
      from exchange where seq > ${after} and seq <= ${last}),
    measured as materialized (
      select *, ${bucketOf('first_byte', FIRST_BYTE_ENDS)} as f, ${bucketOf('rate', RATE_ENDS)} as r from valued),
    grouped as materialized (
      select kind, day, coalesce(service, '') as service, ${toName} as name, f, r, ${sums}
      from measured, (${kinds}) group by 1, 2, 3, 4, 5, 6)
    select kind, day, service, name, ${totals.map((total) => `sum(${total})`).join(', ')},
      ${buckets.map((bucket) => `coalesce(sum(exchanges) filter (where ${bucket[0]} = ${bucket.slice(1)}), 0)`).join(', ')}
    from grouped where name is not null group by 1, 2, 3, 4
    on conflict do update set ${[...totals, ...buckets].map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`;
}

function columnOf(sum: string): string {
  return sum === 'cost' ? 'cost' : `usage_${sum}`;
}

function sumIf(name: string, condition: string): string {
  return `coalesce(sum(times) filter (where ${condition}), 0) as ${name}`;
}

function bucketOf(value: string, ends: readonly number[]): string {
  const cases = ends.map((end, place) => `when ${value} < ${end} then ${place}`).join(' ');
  return `case when ${value} is null then null ${cases} else ${ends.length} end`;
}
