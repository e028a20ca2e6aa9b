import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** When an order was settled, also by a clock that nobody sets. Never edited. */
export const orderUptime: Migration = {
  async up(db: Kysely<never>): Promise<void> {
    await sql`alter table video_order add column settled_uptime integer`.execute(db);
  },
};
