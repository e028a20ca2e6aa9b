import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** In which run of the machine an order was settled, for its uptime counts from the beginning of that. Never edited. */
export const orderBoot: Migration = {
  async up(db: Kysely<never>): Promise<void> {
    await sql`alter table video_order add column settled_boot text`.execute(db);
  },
};
