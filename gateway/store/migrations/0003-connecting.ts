import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** How an upstream is connected to: through a proxy, with more certificate authorities than the system has. */
export const connecting: Migration = {
  async up(db: Kysely<never>): Promise<void> {
    await sql.raw('alter table upstream add column ca_file text').execute(db);
    await sql.raw('alter table upstream add column proxy_url text').execute(db);
  },
};
