import type { Kysely } from 'kysely';
import type { StoreError } from './store-error.ts';
import type { Tables } from './tables.ts';

export { StoreError, type StoreErrorCode } from './store-error.ts';
export type { Tables } from './tables.ts';

/** A value SQLite can hold. */
export type SqlValue = string | number | bigint | null | Uint8Array;

/** The open database of one data folder. All work is done in a worker thread, one statement after the other. */
export interface Store {
  /** Inside `db.transaction()` use the transaction it gives, never `db` or `insertMany`: those wait for it to end. */
  readonly db: Kysely<Tables>;
  /** Runs one statement for every row, all in one transaction: all rows are written or none. */
  insertMany(statement: string, rows: readonly (readonly SqlValue[])[]): Promise<void>;
  /** Tells within about a second that another process changed the database. Returns what stops it. */
  onOutsideChange(listener: () => void): () => void;
  /** Waits for what was asked before, then closes the file. */
  close(): Promise<void>;
}

/**
 * Opens the database, makes it when absent (mode 0600) and brings its tables up to date.
 * Rejects with a {@link StoreError} whose message says what a person can do.
 */
export declare function openStore(file: string): Promise<Store>;
