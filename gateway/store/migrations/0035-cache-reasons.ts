import type { Migration } from '../schema.ts';

/** Adds whether requests to a service ask it why its prompt cache missed. Never edited. */
export const cacheReasons: Migration = {
  statements: () => [
    'alter table upstream add column asks_cache_reason integer not null default 0',
  ],
};
