import type { Migration } from '../schema.ts';

/** Adds access to the window: codes and sessions, as hashes. */
export const window: Migration = {
  statements: () => TABLES,
};

const TABLES = [
  `create table window_code (
    code_hash text not null primary key,
    expires_at integer not null
  ) strict, without rowid`,
  `create table window_session (
    id text not null primary key,
    token_hash text not null,
    used_at integer not null
  ) strict, without rowid`,
];
