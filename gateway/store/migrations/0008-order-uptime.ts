import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds when an order was settled by a clock that cannot be set. Never edited. */
export const orderUptime: Migration = {
  async up(db: Kysely<never>): Promise<void> {
    await sql`alter table video_order add column settled_uptime integer`.execute(db);
  },
};
