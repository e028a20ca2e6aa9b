import type { Migration } from '../schema.ts';

const FAILED = `status is null and error_code is null and ended_by <> 'client'`;

/** The name of an exchange in each kind of totals; null where it has none. */
const NAME = `case kind
  when 'client' then coalesce(client_name, '')
  when 'model' then coalesce(model_sent, model_asked, '')
  when 'route' then route
  when 'hour' then case when client_name is null then null else cast(started_at / 3600000 as text) end
  else cast(price_id as text) end`;
const KINDS = `select 'client' as kind union all select 'model' union all select 'route' union all select 'hour'
  union all select 'price'`;

/** Counts exchanges without an answer and without a code as errors, as the filter does: until now the sums did not. Never edited. */
export const failedWithoutAnswer: Migration = {
  statements: () => [
    `update exchange_sum set errors = errors + found.times from (
      select day, coalesce(service, '') as service, coalesce(client_id, '') as client_id,
        coalesce(client_name, '') as client_name, coalesce(model_sent, model_asked, '') as model,
        sum(times) as times
      from exchange where ${FAILED} group by 1, 2, 3, 4, 5
    ) as found
    where exchange_sum.day = found.day and exchange_sum.service = found.service
      and exchange_sum.client_id = found.client_id and exchange_sum.client_name = found.client_name
      and exchange_sum.model = found.model`,
    `update exchange_usage set errors = errors + found.times from (
      select kind, day, coalesce(service, '') as service, ${NAME} as name, sum(times) as times
      from exchange, (${KINDS}) where ${FAILED} group by 1, 2, 3, 4
    ) as found
    where exchange_usage.kind = found.kind and exchange_usage.day = found.day
      and exchange_usage.service = found.service and exchange_usage.name = found.name`,
  ],
};
