import type { Migration } from '../schema.ts';

/** Adds exceptions from limits, and the models that a client may use. Never edited. */
export const limitExceptions: Migration = {
  statements: () => STATEMENTS,
};

const STATEMENTS = [
  'alter table spend_limit add column suspended_from integer',
  'alter table spend_limit add column suspended_until integer',
  'alter table spend_limit add column allowed_once_at integer',
  'alter table client add column models text',
];
