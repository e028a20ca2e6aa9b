import type { Migration } from '../schema.ts';

/** Adds connection options of an upstream: a proxy, and additional certificate authorities. */
export const connecting: Migration = {
  statements: () => [
    'alter table upstream add column ca_file text',
    'alter table upstream add column proxy_url text',
  ],
};
