import type { Migration } from '../schema.ts';

/** Adds the time at which a temporary key ended, so that a program that still sends it is told. Never edited. */
export const endedTemporaryKeys: Migration = {
  statements: () => ['alter table temporary_key add column ended_at integer'],
};
