import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds whether a client has temporary keys only, because nobody was shown its own. Never edited. */
export const clientsWithoutOwnKey: Migration = {
  async up(db: Kysely<never>): Promise<void> {
    await sql`alter table client add column only_temporary integer not null default 0`.execute(db);
    // The names that the commands `run` and `env` give to the clients that they add.
    await sql`update client set only_temporary = 1
      where (name like '% (run)' or name like '% (env)')
        and id in (select client_id from temporary_key)
        and id not in (select client_id from replaced_key)`.execute(db);
  },
};
