import type { Migration } from '../schema.ts';

/** Adds whether a client has temporary keys only, because nobody was shown its own. Never edited. */
export const clientsWithoutOwnKey: Migration = {
  statements: () => [
    'alter table client add column only_temporary integer not null default 0',
    // The names that the commands `run` and `env` give to the clients that they add.
    `update client set only_temporary = 1
      where (name like '% (run)' or name like '% (env)')
        and id in (select client_id from temporary_key)
        and id not in (select client_id from replaced_key)`,
  ],
};
