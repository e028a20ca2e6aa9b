import { Mutex } from 'async-mutex';
import { randomBytes } from 'node:crypto';
import { chmod, constants, copyFile, link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Kysely, sql } from 'kysely';
import { isFull, systemCode } from '../lib/disk.ts';
import type { ChatTables } from './chat-tables.ts';
import { createDialect } from './dialect.ts';
import { redactRequest, type SecretGuard, createSecretGuard } from './secret-guard.ts';
import type { Statement, WriteOptions } from './worker-protocol.ts';
import { inspect, type Inspection } from './inspect.ts';
import { type DatabaseKind, DATABASE_KINDS } from './database-kinds.ts';
import { migrate } from './migrate.ts';
import { createSchema, type Schema } from './schema.ts';
import type { Tables } from './tables.ts';
import {
  startWorker,
  type StartedWorker,
  createStoreError,
  type DatabaseWorker,
  toStoreError,
} from './database-worker.ts';
import { DatabaseSync } from 'node:sqlite';

export type { ChatTables } from './chat-tables.ts';
export {
  startFileJob,
  startInitialCheck,
  type CopyParts,
  runFileJob,
  type RunningJob,
} from './file-jobs.ts';
export type { Finding } from './check-file.ts';
export { isHistoryTable, isSearchTable } from './history-tables.ts';
export { inspect, type Inspection, readMigrationNames } from './inspect.ts';
export { withFullDiskFallback } from './exclusive-access.ts';
export { findLogDamage } from './log-check.ts';

export { type DatabaseName, DATABASE_KINDS } from './database-kinds.ts';
export { type Schema, createExpectedSchema } from './schema.ts';
export { type SecretGuard, createSecretGuard } from './secret-guard.ts';
export type { SqlValue, Statement } from './worker-protocol.ts';
export { type StartedWorker, startWorker } from './database-worker.ts';
export { DatabaseDamagedError, StoreError } from './store-error.ts';
export type { Tables } from './tables.ts';
export { isInScope } from './usage-scope.ts';

/** An open database of a data folder. All statements run in a worker thread, one after the other. */
export interface Store<Of = Tables> {
  /** Masks the secrets that it knows in every written value. */
  readonly guard: SecretGuard;
  /** Inside `db.transaction()` use the transaction it gives, never `db` or `write`: those wait for it to end. */
  readonly db: Kysely<Of>;
  /** Runs all statements in one transaction: all rows are written or none. Statements should be few and constant. */
  write(statements: readonly Statement[], options?: Pick<WriteOptions, 'durable'>): Promise<void>;
  /**
   * Runs all statements in one transaction, but only when the first one changes a row: otherwise nothing is written, and it
   * resolves with `false`.
   */
  writeIfFirstChanges(
    statements: readonly Statement[],
    options?: Pick<WriteOptions, 'durable'>,
  ): Promise<boolean>;
  /** Calls the listener within about a second after another process changed the database. Returns a function that removes it. */
  onExternalChange(listener: () => void): () => void;
  /** Waits for earlier requests, then closes the file. An open store does not keep the process alive. */
  close(): Promise<void>;
}

/** Options for opening a database. */
export interface StoreOptions {
  /**
   * Called with the name of the first missing migration before the tables are changed, so that a copy can be made. Opening
   * rejects when it rejects.
   */
  readonly beforeMigration?: (next: string) => Promise<void>;
  /** Whether this process has exclusive access, as `withFullDiskFallback` passes it; `false` by default. */
  readonly alone?: boolean;
  /** Guard of the store; a new one by default. */
  readonly guard?: SecretGuard;
  /** Thread that has started; a new one by default. It ends when the opening rejects. */
  readonly worker?: StartedWorker;
}

/** SQLite gives its side files the mode of the database. */
async function makePrivate(file: string): Promise<void> {
  try {
    await chmod(file, 0o600);
  } catch (error) {
    throw createStoreError('unwritable', file, error);
  }
}

/**
 * Opens the database, creates it when absent (mode 0600) and migrates its tables. Rejects with a `StoreError` whose message
 * says what a person can do, and with `DatabaseDamagedError` before anything is written.
 */
export async function openStore(file: string, options: StoreOptions = {}): Promise<Store> {
  return await openDatabase<Tables>(file, DATABASE_KINDS.gatehouse, options);
}

/**
 * Opens the database of the conversations. It has its own file, which is vacuumed when something is deleted for good, and
 * deleted data is overwritten.
 */
export async function openChatStore(
  file: string,
  options: StoreOptions = {},
): Promise<Store<ChatTables>> {
  return await openDatabase<ChatTables>(file, DATABASE_KINDS.chat, options);
}

async function openDatabase<Of>(
  file: string,
  kind: DatabaseKind,
  options: StoreOptions,
): Promise<Store<Of>> {
  // The thread starts while this one inspects the file.
  const worker = options.worker ?? startWorker();
  let store: Store<Of> | null = null;
  try {
    const found = inspect(file, kind) ?? (await createDatabase(file, kind));
    await makePrivate(file);
    const next = Object.keys(kind.migrations)[found.done.length];
    if (next !== undefined) await options.beforeMigration?.(next);
    const { alone = false, guard = createSecretGuard() } = options;
    const opened = await worker.open(file, { alone, secureDelete: kind.secureDelete });
    store = createStore<Of>(withSecretGuard(opened, guard), guard);
    for (const statement of found.missing) await sql.raw(statement).execute(store.db);
    if (found.lacksApplicationId) await setApplicationId(store.db, kind);
    if (next !== undefined) await migrate(store.db, kind.migrations);
    return store;
  } catch (error) {
    await (store === null ? worker.stop() : store.close());
    throw error;
  }
}

async function setApplicationId<Of>(
  db: Kysely<Of>,
  { applicationId }: DatabaseKind,
): Promise<void> {
  await sql.raw(`pragma application_id = ${applicationId}`).execute(db);
}

/**
 * Creates the database under another name and renames it when it is complete: an empty file of this name is damaged, never one
 * that is being created.
 */
async function createDatabase(file: string, kind: DatabaseKind): Promise<Inspection> {
  const temporary = `${file}.${process.pid}-${randomBytes(4).toString('hex')}.new`;
  try {
    await (await open(temporary, 'wx', 0o600)).close();
    const expected = writeSchema(temporary, kind);
    if (await linkUnlessExists(temporary, file)) {
      const done = Object.keys(kind.migrations);
      return { done, expected, missing: [], strayBytes: 0, lacksApplicationId: false };
    }
  } catch (error) {
    throw createStoreError(isFull(dirname(file)) ? 'full' : 'unwritable', file, error);
  } finally {
    for (const end of ['', '-wal', '-shm']) await rm(`${temporary}${end}`, { force: true });
  }
  const made = inspect(file, kind);
  if (made === null) throw createStoreError('unwritable', file);
  return made;
}

/** Creates the tables in an empty file. Runs in this thread, because it takes a few milliseconds, once for each database. */
function writeSchema(file: string, kind: DatabaseKind): Schema {
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = wal');
  database.exec(`pragma application_id = ${kind.applicationId}`);
  return createSchema(database, kind.migrations);
}

/** Resolves with `false` when another process has created the file meanwhile: then that one is used. */
async function linkUnlessExists(temporary: string, file: string): Promise<boolean> {
  try {
    await link(temporary, file);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EEXIST') return false;
    // Some file systems do not support a second name for a file.
    await copyFile(temporary, file, constants.COPYFILE_EXCL);
  }
  return true;
}

function createStore<Of>(worker: DatabaseWorker, guard: SecretGuard): Store<Of> {
  const mutex = new Mutex();
  const db = new Kysely<Of>({ dialect: createDialect(worker, mutex) });
  const ask = async (statements: readonly Statement[], options: WriteOptions) => {
    const release = await mutex.acquire();
    return await worker.send({ kind: 'write', statements, ...options }).finally(release);
  };
  const write: Store<Of>['write'] = async (statements, options = {}) => {
    await ask(statements, options);
  };
  const writeIfFirstChanges: Store<Of>['writeIfFirstChanges'] = async (
    statements,
    options = {},
  ) => {
    const { changes } = await ask(statements, { ...options, onlyIfFirst: true });
    return Number(changes) > 0;
  };
  const close = async () => {
    await db.destroy();
    await worker.close();
  };
  return {
    guard,
    db,
    write,
    writeIfFirstChanges,
    onExternalChange: worker.onExternalChange,
    close,
  };
}

/** Removes secrets from every request to the database. */
function withSecretGuard(worker: DatabaseWorker, guard: SecretGuard): DatabaseWorker {
  return { ...worker, send: async (request) => await worker.send(redactRequest(request, guard)) };
}

const BUSY_MS = 5_000;

/**
 * Rolls back a change that a killed process left half-done, using its journal
 * (https://www.sqlite.org/lockingv3.html#hot_journals). Leaves a change alone that another process is making now. Needs a
 * writing connection, so `inspect` cannot do it.
 * @throws StoreError
 */
export function rollBack(file: string): void {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(file, { timeout: BUSY_MS });
    database.prepare('select count(*) from sqlite_schema').get();
  } catch (error) {
    throw toStoreError(error, file);
  } finally {
    database?.close();
  }
}
