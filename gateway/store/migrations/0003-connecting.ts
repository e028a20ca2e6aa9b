import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds connection options of an upstream: a proxy, and additional certificate authorities. */
export const connecting: Migration = {
  async up(db: Kysely<never>): Promise<void> {
    await sql.raw('alter table upstream add column ca_file text').execute(db);
    await sql.raw('alter table upstream add column proxy_url text').execute(db);
  },
};
