import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds access to the window: codes and sessions, as hashes. */
export const window: Migration = {
  async up(db: Kysely<never>): Promise<void> {
    for (const statement of TABLES) await sql.raw(statement).execute(db);
  },
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
