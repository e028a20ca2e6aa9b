import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the columns of the usage exports of services, as people have assigned them. Never edited. */
export const usageColumns: Migration = {
  async up(db: Kysely<never>): Promise<void> {
    await sql`create table usage_columns (
      service text not null primary key,
      columns text not null
    ) strict, without rowid`.execute(db);
  },
};
