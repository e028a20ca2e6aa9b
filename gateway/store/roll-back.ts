import { DatabaseSync } from 'node:sqlite';
import { toStoreError } from './database-worker.ts';

const BUSY_MS = 5_000;

/**
 * Rolls back a change that a killed process left half-done, as its journal says (https://www.sqlite.org/lockingv3.html#hot_journals). A change that
 * another process is making now is left alone. Only who may write can do it; `inspect` cannot.
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
