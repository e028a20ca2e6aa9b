import type { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';

const LIMIT_CODES = `'local_limit_reached', 'local_rate_reached', 'local_agent_stopped', 'local_model_refused'`;

/** Totals of the rows, and the stored totals, as SQL that gives the same lines when both agree. */
const FROM_ROWS = `select day, coalesce(service, '') as service, coalesce(client_id, '') as client_id, coalesce(client_name, '') as client_name,
    coalesce(model_sent, model_asked, '') as model, max(last_at) as last_at, sum(times) as exchanges,
    sum(case when error_code is not null or coalesce(status >= 400, ended_by <> 'client') then times else 0 end) as errors,
    coalesce(sum(times) filter (where attempts = 0 and error_code in (${LIMIT_CODES})), 0) as refused,
    sum(case when usage_source = 'reported' then times else 0 end) as reported,
    sum(case when usage_source = 'unknown' and attempts > 0 and status between 200 and 299
      and route in ('chat', 'responses', 'messages') then times else 0 end) as unknown,
    total(usage_input) as input, sum(case when usage_input is null then 0 else times end) as input_known,
    total(usage_reasoning) as reasoning, sum(case when usage_reasoning is null then 0 else times end) as reasoning_known,
    total(usage_cache_write_hour) as cache_write_hour,
    sum(case when usage_cache_write_hour is null then 0 else times end) as cache_write_hour_known,
    total(cost) as cost, sum(case when cost is null then 0 else times end) as cost_known,
    sum(case when cost_source = 'estimated' then times else 0 end) as cost_estimated,
    sum(case when cost_source is not null and cost is null then times else 0 end) as unpriced
  from exchange group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`;
const FROM_SUMS = `select day, service, client_id, client_name, model, last_at, exchanges, errors, refused, reported, unknown, input, input_known,
    reasoning, reasoning_known, cache_write_hour, cache_write_hour_known, cost, cost_known, cost_estimated, unpriced from exchange_sum order by 1, 2, 3, 4, 5`;

/** Totals of the rows by each kind of `exchange_usage`, and those stored. */
const USAGE_FROM_ROWS = [
  ['client', `coalesce(client_name, '')`],
  ['model', `coalesce(model_sent, model_asked, '')`],
  ['route', 'route'],
  [
    'hour',
    `case when client_name is null or (error_code = 'invalid_local_key' and ended_by = 'gateway') then null
      else cast(started_at / 3600000 as text) end`,
  ],
  ['price', 'cast(price_id as text)'],
  ['project', `sender ->> '$.project'`],
]
  .map(
    ([
      kind,
      name,
    ]) => `select '${kind}' as kind, day, coalesce(service, '') as service, ${name} as name,
    sum(times) as exchanges, sum(case when error_code is not null or coalesce(status >= 400, ended_by <> 'client') then times else 0 end) as errors,
    coalesce(sum(times) filter (where attempts = 0 and error_code in (${LIMIT_CODES})), 0) as refused,
    total(usage_output) as output, total(usage_cache_read) as cache_read, total(usage_cache_write_hour) as cache_write_hour, total(cost) as cost,
    sum(case when cost is null then 0 else times end) as cost_known,
    sum(case when cost_source is not null and cost is null then times else 0 end) as unpriced,
    coalesce(sum(times) filter (where answer and first_byte_ms is not null), 0) as first_bytes,
    coalesce(sum(times) filter (where answer and first_byte_ms >= 393.74 and first_byte_ms < 511.86), 0) as near,
    coalesce(sum(times) filter (where answer and usage_output > 0
      and duration_ms > case streamed when 1 then coalesce(first_byte_ms, 0) else 0 end), 0) as rates
    from (select *, attempts > 0 and status >= 200 and status < 300 and route in ('chat', 'responses', 'messages') as answer from exchange)
    where ${name} is not null group by 1, 2, 3, 4`,
  )
  .join(' union all ');
const listColumns = (letter: string, count: number) =>
  Array.from({ length: count }, (_, place) => `${letter}${place}`).join(' + ');
const USAGE_FROM_SUMS = `select kind, day, service, name, exchanges, errors, refused, output, cache_read, cache_write_hour, cost, cost_known, unpriced,
  ${listColumns('f', 40)} as first_bytes, f15 as near, ${listColumns('r', 32)} as rates from exchange_usage order by 1, 2, 3, 4`;

/** Compares rows and totals at one moment, as another process would see them. */
export function expectAgreement(db: DatabaseSync): void {
  db.exec('begin');
  const rows = db.prepare(FROM_ROWS).all();
  const sums = db.prepare(FROM_SUMS).all();
  const usageRows = db.prepare(`${USAGE_FROM_ROWS} order by 1, 2, 3, 4`).all();
  const usageSums = db.prepare(USAGE_FROM_SUMS).all();
  db.exec('commit');
  expect(sums).toEqual(rows);
  expect(usageSums).toEqual(usageRows);
}
