import type { Migration } from '../schema.ts';

/**
 * Gives exchanges a `seq` that is never reused, the day that they are totalled under, the time from which their age counts,
 * and a count of equal refusals. Totals count how many exchanges have a number, so that deleted exchanges can be subtracted.
 * The totals are rebuilt from the rows. Never edited.
 */
export const historyBounds: Migration = {
  statements: () => STATEMENTS,
};

const COLUMNS = `seq, id, started_at, client_id, client_name, conversation, user_agent, route, method, path_received, path_sent,
  model_asked, model_sent, model_served, streamed, status, error_code, error_message, ended_by, repairs, attempts, bytes_in, bytes_out,
  first_byte_ms, duration_ms, overhead_ms, usage_input, usage_output, usage_cache_read, usage_cache_write, usage_reasoning, usage_source`;

const STATEMENTS = [
  // Only AUTOINCREMENT keeps SQLite from reusing the number of a deleted row, and it cannot be added to a table.
  `create table new_exchange (
    seq integer primary key autoincrement,
    id text not null unique,
    started_at integer not null,
    client_id text,
    client_name text,
    conversation text,
    user_agent text,
    route text not null,
    method text not null,
    path_received text not null,
    path_sent text,
    model_asked text,
    model_sent text,
    model_served text,
    streamed integer not null,
    status integer,
    error_code text,
    error_message text,
    ended_by text not null,
    repairs text not null,
    attempts integer not null,
    bytes_in integer not null,
    bytes_out integer not null,
    first_byte_ms real,
    duration_ms real not null,
    overhead_ms real,
    usage_input integer,
    usage_output integer,
    usage_cache_read integer,
    usage_cache_write integer,
    usage_reasoning integer,
    usage_source text not null,
    day text not null,
    times integer not null,
    last_at integer not null,
    kept_since integer not null
  ) strict`,
  `insert into new_exchange (${COLUMNS}, day, times, last_at, kept_since)
    select ${COLUMNS}, strftime('%Y-%m-%d', started_at / 1000, 'unixepoch', 'localtime'), 1, started_at, started_at
    from exchange order by seq`,
  `create table new_exchange_head (
    seq integer primary key references new_exchange (seq) on delete cascade,
    heads text not null
  ) strict`,
  'insert into new_exchange_head select seq, heads from exchange_head',
  // Drops the child first: dropping a parent deletes the rows that refer to it.
  'drop table exchange_head',
  'drop table exchange',
  'alter table new_exchange rename to exchange',
  'alter table new_exchange_head rename to exchange_head',
  'create index exchange_by_time on exchange (started_at)',
  'drop table exchange_sum',
  `create table exchange_sum (
    day text not null,
    client_id text not null,
    client_name text not null,
    model text not null,
    last_at integer not null,
    exchanges integer not null,
    errors integer not null,
    reported integer not null,
    estimated integer not null,
    unknown integer not null,
    input real not null,
    input_known integer not null,
    output real not null,
    output_known integer not null,
    cache_read real not null,
    cache_read_known integer not null,
    cache_write real not null,
    cache_write_known integer not null,
    reasoning real not null,
    reasoning_known integer not null,
    primary key (day, client_id, client_name, model)
  ) strict, without rowid`,
  `insert into exchange_sum
    select
      day,
      coalesce(client_id, ''),
      coalesce(client_name, ''),
      coalesce(model_sent, model_asked, ''),
      max(last_at),
      count(*),
      count(*) filter (where status >= 400 or error_code is not null),
      count(*) filter (where usage_source = 'reported'),
      count(*) filter (where usage_source = 'estimated'),
      count(*) filter (where usage_source = 'unknown'),
      total(usage_input), count(usage_input),
      total(usage_output), count(usage_output),
      total(usage_cache_read), count(usage_cache_read),
      total(usage_cache_write), count(usage_cache_write),
      total(usage_reasoning), count(usage_reasoning)
    from exchange
    group by 1, 2, 3, 4`,
];
