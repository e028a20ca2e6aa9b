import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds exceptions from limits, and the models that a client may use. Never edited. */
export const limitExceptions: Migration = {
  async up(db: Kysely<never>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  'alter table spend_limit add column suspended_from integer',
  'alter table spend_limit add column suspended_until integer',
  'alter table spend_limit add column allowed_once_at integer',
  'alter table client add column models text',
];
