import type { Migration } from '../schema.ts';

/** Adds aliases of models and their profiles, of which at most one is in use. Never edited. */
export const modelAliases: Migration = {
  statements: () => STATEMENTS,
};

const STATEMENTS = [
  `create table profile (
    folded text not null primary key,
    name text not null,
    upstream_id text,
    used integer not null default 0,
    created_at integer not null
  ) strict, without rowid`,
  'create unique index profile_used on profile (used) where used = 1',
  `create table model_alias (
    id text not null primary key,
    profile text,
    client_id text,
    folded text not null,
    name text not null,
    model text not null,
    effort text,
    created_at integer not null
  ) strict, without rowid`,
  `create unique index model_alias_name on model_alias (coalesce(profile, ''), coalesce(client_id, ''), folded)`,
];
