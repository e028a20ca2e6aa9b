import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { isFull } from '../lib/disk.ts';
import { addFoldCase } from '../lib/fold-case.ts';
import { openExclusive } from './exclusive-access.ts';
import { toFailure, type OpenOptions } from './worker-protocol.ts';

const BUSY_MS = 5_000;
const SQLITE_BUSY = 5;
/** Minimum size that SQLite allocates for the memory shared by processes. */
const SHARED_MEMORY_BYTES = 32_768;

/** The connection that writes to a database. */
export class WriteConnection {
  readonly file: string;
  readonly #secureDelete: boolean;
  readonly #prepared = new Map<string, StatementSync>();
  #alone: boolean;
  #database: DatabaseSync;

  /** @throws SQLite's error */
  constructor(file: string, { alone, secureDelete }: OpenOptions) {
    this.file = file;
    this.#secureDelete = secureDelete;
    this.#alone = alone;
    this.#database = this.#open();
  }

  get isTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Whether other processes have no access at present. */
  get isAlone(): boolean {
    return this.#alone;
  }

  /** Reads SQLite's data version (https://www.sqlite.org/pragma.html#pragma_data_version); `null` when it cannot be read. */
  readDataVersion(): number | null {
    try {
      return Number(this.prepareOnce('PRAGMA data_version').get()?.['data_version']);
    } catch {
      return null;
    }
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  prepare(sql: string): StatementSync {
    return this.#database.prepare(sql);
  }

  /** Prepares a repeated statement once and caches it. */
  prepareOnce(sql: string): StatementSync {
    const statement = this.#prepared.get(sql) ?? this.#database.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }

  /**
   * Allows access by other processes again, once the disk has space for the memory shared with them. Must be called from time
   * to time.
   */
  shareOnceThereIsRoom(): void {
    if (!this.#alone || this.isTransaction || isFull(dirname(this.file))) return;
    this.close();
    try {
      this.#alone = false;
      this.#database = this.#open();
      // While another connection of this process was open, the database stayed exclusive to this process.
      this.#alone = !this.#isShared();
    } catch {
      this.#alone = true;
      this.#database = this.#open();
    }
  }

  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }

  #isShared(): boolean {
    const found = statSync(`${this.file}-shm`, { throwIfNoEntry: false });
    return found !== undefined && found.size >= SHARED_MEMORY_BYTES;
  }

  #open(): DatabaseSync {
    const database = this.#alone
      ? openExclusive(this.file)
      : new DatabaseSync(this.file, { timeout: BUSY_MS, enableForeignKeyConstraints: true });
    try {
      enterWal(database);
      database.exec('PRAGMA synchronous = NORMAL');
      // On macOS only this flushes to the disk itself; elsewhere it has no effect.
      database.exec('PRAGMA fullfsync = ON');
      if (this.#secureDelete) database.exec('PRAGMA secure_delete = ON');
      addFoldCase(database);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  }
}

/** SQLite does not wait its busy timeout for a change of the journal mode, so two first starts must take turns here. */
function enterWal(database: DatabaseSync): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; ; waited += 20) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (((toFailure(error).errcode ?? 0) & 0xff) !== SQLITE_BUSY || waited >= BUSY_MS)
        throw error;
      Atomics.wait(pause, 0, 0, 20);
    }
  }
}
