import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the hashes of local keys that were replaced, so that their use is recognised. Never edited. */
export const replacedKeys: Migration = {
  async up(db: Kysely<never>): Promise<void> {
    await sql`create table replaced_key (
      key_hash text not null primary key,
      client_id text not null,
      replaced_at integer not null
    ) strict, without rowid`.execute(db);
  },
};
