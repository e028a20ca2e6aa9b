import { DatabaseSync } from 'node:sqlite';
import { toStoreError } from './database-worker.ts';

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
