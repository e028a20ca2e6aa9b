import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds when a local key expires, and when it was found expired; both `null` for keys without expiry. Never edited. */
export const clientExpiry: Migration = {
  async up(db: Kysely<never>): Promise<void> {
    await sql`alter table client add column expires_at integer`.execute(db);
    await sql`alter table client add column expired_at integer`.execute(db);
  },
};
