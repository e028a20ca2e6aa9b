import type { Migration } from '../schema.ts';

/** Adds what clients say of the agent that sent a request, and the run that it belongs to. Never edited. */
export const runs: Migration = {
  statements: () => STATEMENTS,
};

/** Each new column of a strict table makes SQLite read all its rows, so there are two. */
const STATEMENTS = [
  'alter table exchange add column run text',
  'alter table exchange add column sender text',
  'create index exchange_by_run on exchange (run, started_at) where run is not null',
];
