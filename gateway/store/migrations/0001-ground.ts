import type { Migration } from '../schema.ts';

/** Creates the first tables. Never edited: later changes are new migrations. */
export const initial: Migration = {
  statements: () => [...EXCHANGE, ...REST],
};

const EXCHANGE = [
  `create table exchange (
    seq integer primary key,
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
    usage_source text not null
  ) strict`,
  'create index exchange_by_time on exchange (started_at)',
  'create index exchange_by_client on exchange (client_name, started_at)',
  'create index exchange_by_model on exchange (coalesce(model_sent, model_asked), started_at)',
  'create index exchange_by_status on exchange (status, started_at)',
];

const REST = [
  `create table client (
    id text not null primary key,
    name text not null,
    key_hash text not null unique,
    created_at integer not null,
    revoked_at integer
  ) strict`,
  `create table upstream (
    id text not null primary key,
    name text not null,
    base_url text not null unique,
    version_vendor text,
    active integer not null
  ) strict`,
  'create table setting (key text not null primary key, value text not null) strict',
  `create table model_list (
    base_url text not null primary key,
    fetched_at integer not null,
    body text not null
  ) strict`,
  `create table rejected_parameter (
    base_url text not null,
    model text not null,
    parameter text not null,
    seen_at integer not null,
    primary key (base_url, model, parameter)
  ) strict, without rowid`,
];
