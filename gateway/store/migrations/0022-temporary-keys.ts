import type { Migration } from '../schema.ts';

/** Adds local keys of clients that are valid beside the one of the client, for a time. Never edited. */
export const temporaryKeys: Migration = {
  statements: () => STATEMENTS,
};

const STATEMENTS = [
  `create table temporary_key (
    key_hash text not null primary key,
    client_id text not null references client (id) on delete cascade,
    created_at integer not null,
    expires_at integer not null
  ) strict, without rowid`,
  'create index temporary_key_client on temporary_key (client_id)',
];

/** Adds the time at which a temporary key ended, so that a program that still sends it is told. Never edited. */
export const endedTemporaryKeys: Migration = {
  statements: () => ['alter table temporary_key add column ended_at integer'],
};

/** Adds the project that the program of a temporary key works on. Never edited. */
export const projectsOfTemporaryKeys: Migration = {
  statements: () => ['alter table temporary_key add column project text'],
};

/** Adds whether a client has temporary keys only, because nobody was shown its own. Never edited. */
export const clientsWithoutOwnKey: Migration = {
  statements: () => [
    'alter table client add column only_temporary integer not null default 0',
    // The names that the commands `run` and `env` give to the clients that they add.
    `update client set only_temporary = 1
      where (name like '% (run)' or name like '% (env)')
        and id in (select client_id from temporary_key)
        and id not in (select client_id from replaced_key)`,
  ],
};

/** Names the clients of programs that the commands `run` and `env` added as the programs, which are one client since. Never edited. */
export const clientsOfPrograms: Migration = {
  statements: () => ['(run)', '(env)'].map(renameFrom),
};

const PROGRAMS = `'Claude Code', 'Codex', 'opencode', 'Qwen Code', 'Continue', 'pi', 'Aider', 'Crush', 'Goose'`;

function renameFrom(ending: string): string {
  const name = `substr(name, 1, length(name) - ${ending.length + 1})`;
  return `update client set name = ${name}
    where revoked_at is null and name like '% ${ending}' and ${name} in (${PROGRAMS})
      and id in (select client_id from temporary_key)
      and lower(${name}) not in (select lower(name) from client where revoked_at is null)`;
}
