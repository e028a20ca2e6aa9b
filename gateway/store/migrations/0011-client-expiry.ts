import type { Migration } from '../schema.ts';

/** Adds when a local key expires, and when it was found expired; both `null` for keys without expiry. Never edited. */
export const clientExpiry: Migration = {
  statements: () => [
    'alter table client add column expires_at integer',
    'alter table client add column expired_at integer',
  ],
};
