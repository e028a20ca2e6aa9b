import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the marks of exchanges: pins, notes and tags. Never edited. */
export const exchangeMarks: Migration = {
  async up(db: Kysely<never>): Promise<void> {
    await sql`create table exchange_mark (
      seq integer primary key references exchange (seq) on delete cascade,
      pinned integer not null,
      note text not null,
      tags text not null,
      changed_at integer not null
    ) strict`.execute(db);
  },
};
