import type { Migration } from '../schema.ts';

/** Adds the hashes of local keys that were replaced, so that their use is recognised. Never edited. */
export const replacedKeys: Migration = {
  statements: () => [
    `create table replaced_key (
      key_hash text not null primary key,
      client_id text not null,
      replaced_at integer not null
    ) strict, without rowid`,
  ],
};
