import type { Migration } from '../schema.ts';

/** Adds prices, limits, and the costs of exchanges. Never edited. */
export const money: Migration = {
  statements: () => STATEMENTS,
};

/** Adds which part of an estimated usage was reported, and the length of an ordered video. Never edited. */
export const reportedPartsAndVideos: Migration = {
  statements: () => [
    'alter table exchange add column usage_reported text',
    'alter table exchange add column video text',
  ],
};

const STATEMENTS = [
  'alter table exchange add column usage_cache_write_hour integer',
  'alter table exchange add column usage_media text',
  'alter table exchange add column cost integer',
  'alter table exchange add column cost_source text',
  'alter table exchange add column price_id integer',
  'alter table exchange_sum add column cost real not null default 0',
  'alter table exchange_sum add column cost_known integer not null default 0',
  'alter table exchange_sum add column cost_estimated integer not null default 0',
  'alter table exchange_sum add column unpriced integer not null default 0',
  `create table price (
    id integer primary key autoincrement,
    service text,
    model text not null,
    valid_from integer not null,
    prices text not null,
    tiers text not null,
    origin text not null,
    created_at integer not null,
    retired_at integer
  ) strict`,
  `create table spend (
    scope text not null,
    client_id text not null,
    quarter integer not null,
    money real not null,
    tokens real not null,
    requests integer not null,
    primary key (scope, client_id, quarter)
  ) strict, without rowid`,
  `create table spend_limit (
    id text primary key,
    client_id text,
    measure text not null,
    amount integer not null,
    period text not null,
    rolling integer not null,
    created_at integer not null
  ) strict`,
];
