import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { StoreError } from './store-error.ts';

/**
 * Opens a database without the file of shared memory (`-shm`) in which processes keep the index of its log, and for which a
 * full disk has no space. The index is in the memory of this process: all its connections use that, however they are opened,
 * and no other process can open the database until the last of them is closed. Throws SQLite's error; not available on
 * Windows. Source: https://www.sqlite.org/vfs.html#standard_unix_vfses, "unix-excl"
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
 * Runs work that opens a database. Where the disk is too full for the memory shared by processes, runs it again while this
 * process has exclusive access: then `alone` is `true`.
 */
export async function withFullDiskFallback<Value>(
  file: string,
  work: (alone: boolean) => Promise<Value>,
): Promise<Value> {
  try {
    return await work(false);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'full') throw error;
    using lock = lockExclusive(file);
    if (lock === null) throw error;
    return await work(true);
  }
}

/**
 * Returns `null` when exclusive access is impossible: there is no file, another process uses it, or the log cannot be written.
 */
function lockExclusive(file: string): Disposable | null {
  let writer: DatabaseSync | null = null;
  let reader: DatabaseSync | null = null;
  const close = () => {
    // The reader closes last: it does not apply the log to the file, which may belong to another database.
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

/** Reading is what opens the file and takes its lock. */
function acquireLock(database: DatabaseSync): void {
  database.exec('select 1 from sqlite_schema');
}
