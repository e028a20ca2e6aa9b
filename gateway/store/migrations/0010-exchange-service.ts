import type { Migration } from '../schema.ts';

/**
 * Records the service of each exchange, and keeps totals for each service. That of earlier exchanges is unknown: `null` in
 * `exchange`, an empty text in `exchange_sum`. Never edited.
 */
export const exchangeService: Migration = {
  statements: () => STATEMENTS,
};

const COLUMNS = `day, client_id, client_name, model, last_at, exchanges, errors, reported, estimated, unknown,
  input, input_known, output, output_known, cache_read, cache_read_known, cache_write, cache_write_known,
  reasoning, reasoning_known`;

const STATEMENTS = [
  'alter table exchange add column service text',
  `create table new_exchange_sum (
    day text not null,
    service text not null default '',
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
    primary key (day, service, client_id, client_name, model)
  ) strict, without rowid`,
  `insert into new_exchange_sum (${COLUMNS}) select ${COLUMNS} from exchange_sum`,
  'drop table exchange_sum',
  'alter table new_exchange_sum rename to exchange_sum',
];
