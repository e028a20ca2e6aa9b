import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the time at which a temporary key ended, so that a program that still sends it is told. Never edited. */
export const endedTemporaryKeys: Migration = {
  async up(db: Kysely<never>): Promise<void> {
    await sql.raw('alter table temporary_key add column ended_at integer').execute(db);
  },
};
