import type { Migration } from '../schema.ts';

/** Adds the filters of the history that people have saved. Never edited. */
export const savedFilters: Migration = {
  statements: () => [
    `create table saved_filter (
      name text not null primary key,
      text text not null
    ) strict, without rowid`,
  ],
};
