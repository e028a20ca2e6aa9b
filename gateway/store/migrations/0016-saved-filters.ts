import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the filters of the history that people have saved. Never edited. */
export const savedFilters: Migration = {
  async up(db: Kysely<never>): Promise<void> {
    await sql`create table saved_filter (
      name text not null primary key,
      text text not null
    ) strict, without rowid`.execute(db);
  },
};
