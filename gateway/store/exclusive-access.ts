import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { StoreError } from './store-error.ts';

/**
 * Opens a database without the file of shared memory (`-shm`) in which processes keep the index of its log, and for which a full disk has no room. The
 * index is in the memory of this process: all its connections use that, however they are opened, and no other process gets in until the last of
 * them is closed. Throws what SQLite says; there is no such way on Windows.
 * Source: https://www.sqlite.org/vfs.html#standard_unix_vfses, "unix-excl"
 */
export function openExclusive(file: string): DatabaseSync {
  const url = pathToFileURL(file);
  url.searchParams.set('mode', 'rw');
  url.searchParams.set('vfs', 'unix-excl');
  const database = new DatabaseSync(url, { enableForeignKeyConstraints: true });
  try {
    acquireLock(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Does work that opens a database. Where the disk is too full for the memory that processes share, it does it once more while this process has the database
 * for itself: then `alone` is `true`.
 */
export async function withFullDiskFallback<Value>(
  file: string,
  work: (alone: boolean) => Promise<Value>,
): Promise<Value> {
  try {
    return await work(false);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'full') throw error;
    using held = lockExclusive(file);
    if (held === null) throw error;
    return await work(true);
  }
}

/** `null` when it cannot be had: there is no file, another process uses it, or the disk takes no log. */
function lockExclusive(file: string): Disposable | null {
  let writer: DatabaseSync | null = null;
  let reader: DatabaseSync | null = null;
  const close = () => {
    // The reader is the last one: it works no log into the file, which may belong to another database.
    writer?.close();
    reader?.close();
  };
  try {
    writer = openExclusive(file);
    reader = new DatabaseSync(file, { readOnly: true });
    acquireLock(reader);
    return { [Symbol.dispose]: close };
  } catch {
    close();
    return null;
  }
}

/** Only now the file is looked at and its lock taken. */
function acquireLock(database: DatabaseSync): void {
  database.exec('select 1 from sqlite_schema');
}
