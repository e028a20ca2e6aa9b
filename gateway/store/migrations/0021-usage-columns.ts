import type { Migration } from '../schema.ts';

/** Adds the columns of the usage exports of services, as people have assigned them. Never edited. */
export const usageColumns: Migration = {
  statements: () => [
    `create table usage_columns (
      service text not null primary key,
      columns text not null
    ) strict, without rowid`,
  ],
};
