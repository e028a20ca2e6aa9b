import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds for how many days the bodies of a client are kept; `null` for as long as Settings says. Never edited. */
export const clientBodies: Migration = {
  async up(db: Kysely<never>): Promise<void> {
    await sql`alter table client add column keep_bodies_days integer`.execute(db);
  },
};
