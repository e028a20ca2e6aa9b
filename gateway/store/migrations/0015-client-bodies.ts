import type { Migration } from '../schema.ts';

/** Adds for how many days the bodies of a client are kept; `null` for as long as Settings says. Never edited. */
export const clientBodies: Migration = {
  statements: () => ['alter table client add column keep_bodies_days integer'],
};
