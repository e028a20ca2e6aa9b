import { chmod, open } from 'node:fs/promises';
import { Kysely, sql } from 'kysely';
import type { ChatTables } from './chat-tables.ts';
import { makeDialect } from './dialect.ts';
import type { Step, WriteOptions } from './messages.ts';
import { CHAT_MIGRATIONS, migrate, MIGRATIONS, type Migrating } from './migrate.ts';
import type { Tables } from './tables.ts';
import { startThread, storeError } from './thread.ts';
import { makeTurn } from './turn.ts';

export type { ChatTables } from './chat-tables.ts';
export type { SqlValue, Step } from './messages.ts';
export { StoreError } from './store-error.ts';
export type { Tables } from './tables.ts';

/** An open database of a data folder. All work is done in a worker thread, one statement after the other. */
export interface Store<Of = Tables> {
  /** Inside `db.transaction()` use the transaction it gives, never `db` or `write`: those wait for it to end. */
  readonly db: Kysely<Of>;
  /** Runs all steps in one transaction: all rows are written or none. Statements should be few and always the same. */
  write(steps: readonly Step[], options?: Pick<WriteOptions, 'durable'>): Promise<void>;
  /** The same, but only when the first step changes a row: otherwise nothing is written, and it resolves with `false`. */
  writeIf(steps: readonly Step[], options?: Pick<WriteOptions, 'durable'>): Promise<boolean>;
  /** Tells within about a second that another process changed the database. Returns what stops it. */
  onOutsideChange(listener: () => void): () => void;
  /** Waits for what was asked before, then closes the file. An open store does not keep the process alive. */
  close(): Promise<void>;
}

/** SQLite gives its side files the mode of the database. */
async function makePrivate(file: string): Promise<void> {
  try {
    const handle = await open(file, 'a', 0o600);
    await handle.close();
    await chmod(file, 0o600);
  } catch (error) {
    throw storeError('unwritable', file, error);
  }
}

/**
 * Opens the database, makes it when absent (mode 0600) and brings its tables up to date.
 * Rejects with a `StoreError` whose message says what a person can do.
 */
export async function openStore(file: string): Promise<Store> {
  return await openWith<Tables>({ file, migrations: MIGRATIONS });
}

/**
 * The same for the conversations, which have a file of their own: it is written anew when something is deleted for good, and what was
 * deleted is overwritten.
 */
export async function openChatStore(file: string): Promise<Store<ChatTables>> {
  const store = await openWith<ChatTables>({ file, migrations: CHAT_MIGRATIONS });
  await sql`pragma secure_delete = on`.execute(store.db);
  return store;
}

async function openWith<Of>({ file, migrations }: Migrating): Promise<Store<Of>> {
  await makePrivate(file);
  const thread = await startThread(file);
  const turn = makeTurn();
  const db = new Kysely<Of>({ dialect: makeDialect(thread, turn) });
  const ask = async (steps: readonly Step[], options: WriteOptions) => {
    const release = await turn.take();
    return await thread.ask({ kind: 'write', steps, ...options }).finally(release);
  };
  const write: Store<Of>['write'] = async (steps, options = {}) => {
    await ask(steps, options);
  };
  const writeIf: Store<Of>['writeIf'] = async (steps, options = {}) => {
    const { changes } = await ask(steps, { ...options, onlyIfFirst: true });
    return Number(changes) > 0;
  };
  const close = async () => {
    await db.destroy();
    await thread.close();
  };
  try {
    await migrate(db, { file, migrations });
  } catch (error) {
    await close();
    throw error;
  }
  return { db, write, writeIf, onOutsideChange: thread.onOutsideChange, close };
}
