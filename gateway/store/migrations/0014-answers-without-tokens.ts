import type { Migration } from '../schema.ts';

/** Counts as `unknown` only the answers that should have token counts: until now refused requests were counted, too. Never edited. */
export const answersWithoutTokens: Migration = {
  statements: () => [
    'update exchange_sum set unknown = 0',
    `update exchange_sum set unknown = found.times from (
      select day, coalesce(service, '') as service, coalesce(client_id, '') as client_id,
        coalesce(client_name, '') as client_name, coalesce(model_sent, model_asked, '') as model,
        sum(times) as times
      from exchange
      where usage_source = 'unknown' and attempts > 0 and status between 200 and 299
        and route in ('chat', 'responses', 'messages')
      group by 1, 2, 3, 4, 5
    ) as found
    where exchange_sum.day = found.day and exchange_sum.service = found.service
      and exchange_sum.client_id = found.client_id and exchange_sum.client_name = found.client_name
      and exchange_sum.model = found.model`,
  ],
};
