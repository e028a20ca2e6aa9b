import type { Migration } from '../schema.ts';

/** Adds the marks of exchanges: pins, notes and tags. Never edited. */
export const exchangeMarks: Migration = {
  statements: () => [
    `create table exchange_mark (
      seq integer primary key references exchange (seq) on delete cascade,
      pinned integer not null,
      note text not null,
      tags text not null,
      changed_at integer not null
    ) strict`,
  ],
};
