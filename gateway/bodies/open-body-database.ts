import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { addFoldCase } from '../lib/fold-case.ts';
import { RUN_SCHEMA } from './runs/run-tables.ts';
import { TEXT_SCHEMA } from './search/text-tables.ts';

/** "Gbod" in ASCII, in the header of the file (https://www.sqlite.org/fileformat2.html#application_id). */
const APPLICATION_ID = 0x47626f64;
const VERSION = 1;
const BUSY_MS = 5_000;

const SCHEMA = `
create table if not exists frame (
  id integer primary key autoincrement,
  base integer references frame (id),
  depth integer not null,
  plain integer not null,
  content blob not null
) strict;
create index if not exists frame_base on frame (base) where base is not null;
create table if not exists exchange (
  id text primary key,
  started_at integer not null,
  frame integer not null references frame (id),
  at integer not null,
  bodies text not null,
  times blob,
  client text,
  facts text,
  is_placed integer not null default 0,
  pinned integer not null default 0
) strict, without rowid;
create index if not exists exchange_unplaced on exchange (started_at) where is_placed = 0 and facts is not null;
create index if not exists exchange_frame on exchange (frame);
create index if not exists exchange_age on exchange (pinned, started_at);
drop index if exists exchange_started_at;
create index if not exists exchange_client on exchange (client, started_at);
`;

/** Statements that stay prepared at most. The program has fewer; only a search for runs makes one for each number of words. */
const MAX_PREPARED = 100;

/** A connection that prepares a repeated statement once. */
class BodyConnection extends DatabaseSync {
  readonly #prepared = new Map<string, StatementSync>();

  override prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    if (this.#prepared.size === MAX_PREPARED) this.#prepared.clear();
    const statement = super.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}

/** Opens the file, and creates it and its tables when they do not exist. @throws SQLite's error; an error when a newer version wrote it */
export function openBodyDatabase(file: string): DatabaseSync {
  closeSync(openSync(file, 'a', 0o600));
  const database = new BodyConnection(file, {
    timeout: BUSY_MS,
    enableForeignKeyConstraints: true,
  });
  try {
    addFoldCase(database);
    const version = Number(database.prepare('pragma user_version').get()?.['user_version']);
    if (version > VERSION) throw new Error('It was written by a newer Gatehouse.');
    database.exec('pragma auto_vacuum = incremental; pragma journal_mode = wal');
    database.exec('pragma synchronous = normal; pragma secure_delete = on');
    // A command may do the same at the same time.
    database.exec('begin immediate');
    addPinnedColumn(database);
    database.exec(SCHEMA);
    database.exec(RUN_SCHEMA);
    database.exec(TEXT_SCHEMA);
    database.exec(`pragma application_id = ${APPLICATION_ID}; pragma user_version = ${VERSION}`);
    database.exec('commit');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opens the file to read it. Tables of an earlier version become those of this one before, as in other databases. @throws SQLite's error */
export function openToRead(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
  try {
    if (hasAllTables(database)) {
      addFoldCase(database);
      return database;
    }
  } catch (error) {
    database.close();
    throw error;
  }
  database.close();
  openBodyDatabase(file).close();
  return openToRead(file);
}

/**
 * Reads in one transaction: the frames of a chain change while another process prunes, and beginning a transaction for each of hundreds of
 * rows takes as long as reading them. Must not be called in one.
 */
export function readConsistently<Value>(database: DatabaseSync, read: () => Value): Value {
  database.exec('begin');
  try {
    return read();
  } finally {
    // SQLite may have ended it after an error.
    if (database.isTransaction) database.exec('rollback');
  }
}

/** Whether the database has what the latest versions added. */
function hasAllTables(database: DatabaseSync): boolean {
  const added = database
    .prepare(
      `select 1 from sqlite_master where name = 'searched_deleted'
       and exists (select 1 from sqlite_master where name = 'answer_exchange')
       and exists (select 1 from pragma_table_info('exchange') where name = 'pinned')`,
    )
    .get();
  return added !== undefined;
}

/** Adds the column to a database of a version that had none. */
function addPinnedColumn(database: DatabaseSync): void {
  const columns = database.prepare("select name from pragma_table_info('exchange')").all();
  if (columns.length === 0 || columns.some(({ name }) => name === 'pinned')) return;
  database.exec('alter table exchange add column pinned integer not null default 0');
}
