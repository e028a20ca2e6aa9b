import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the boot of the machine in which an order was settled, because its uptime counts from there. Never edited. */
export const orderBoot: Migration = {
  async up(db: Kysely<never>): Promise<void> {
    await sql`alter table video_order add column settled_boot text`.execute(db);
  },
};
