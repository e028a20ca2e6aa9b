import type { Migration } from '../schema.ts';

/**
 * Adds details of exchanges: headers, error messages, and totals that need no full scan. The search index replaces one index
 * for each column. Never edited.
 */
export const details: Migration = {
  statements: () => STATEMENTS,
};

const STATEMENTS = [
  'drop index exchange_by_client',
  'drop index exchange_by_model',
  'drop index exchange_by_status',
  'alter table exchange add column error_message text',
  `create table exchange_head (
    seq integer primary key references exchange (seq) on delete cascade,
    heads text not null
  ) strict`,
  `create table exchange_sum (
    day text not null,
    client_id text not null,
    client_name text not null,
    model text not null,
    last_at integer not null,
    exchanges integer not null,
    errors integer not null,
    input real,
    output real,
    cache_read real,
    cache_write real,
    reasoning real,
    reported integer not null,
    estimated integer not null,
    unknown integer not null,
    primary key (day, client_id, client_name, model)
  ) strict, without rowid`,
  `insert into exchange_sum
    select
      strftime('%Y-%m-%d', started_at / 1000, 'unixepoch', 'localtime'),
      coalesce(client_id, ''),
      coalesce(client_name, ''),
      coalesce(model_sent, model_asked, ''),
      max(started_at),
      count(*),
      count(*) filter (where status >= 400 or error_code is not null),
      sum(cast(usage_input as real)),
      sum(cast(usage_output as real)),
      sum(cast(usage_cache_read as real)),
      sum(cast(usage_cache_write as real)),
      sum(cast(usage_reasoning as real)),
      count(*) filter (where usage_source = 'reported'),
      count(*) filter (where usage_source = 'estimated'),
      count(*) filter (where usage_source = 'unknown')
    from exchange
    group by 1, 2, 3, 4`,
];
