import {
  DatabaseDamagedError,
  type DatabaseName,
  type StartedWorker,
  startWorker,
  withFullDiskFallback,
  type StoreOptions,
} from '../store/store.ts';
import { createCopyBeforeMigration, removeOldCopies } from './copies.ts';
import type { BackupDeps } from './deps.ts';
import { findLoss } from './find-loss.ts';
import { withRestoreAdvice } from './restore-advice.ts';
import { databasePath } from './paths.ts';
import { resolveJournal } from './resolve-journal.ts';
import { prepareDatabase } from './prepare-database.ts';

/** Opens the databases of a data folder. Repairs a damaged one, or rejects with the copy that can be restored. */
export class Databases {
  readonly #deps: BackupDeps;
  readonly #isServing: boolean;
  readonly #endChecks: (() => Promise<void>)[] = [];

  /** `isServing`: this process owns the folder, so it may repair what it finds. */
  constructor(deps: BackupDeps, isServing: boolean) {
    this.#deps = deps;
    this.#isServing = isServing;
  }

  /** Rejects with StoreError, whose messages are for people; a DatabaseDamagedError names no copy yet. */
  async open<Opened>(
    database: DatabaseName,
    openFile: (file: string, options: StoreOptions) => Promise<Opened>,
    startedWorker?: StartedWorker,
  ): Promise<Opened> {
    let started = startedWorker;
    const takeWorker = () => {
      const worker = started ?? startWorker();
      started = undefined;
      return worker;
    };
    const file = databasePath(this.#deps.dataDir, database);
    return await withFullDiskFallback(
      file,
      async (alone) =>
        await this.#openOnce(
          database,
          // The thread starts while this one checks the file.
          takeWorker(),
          async (storeOptions) => await openFile(file, { ...storeOptions, alone }),
        ),
    );
  }

  async #openOnce<Opened>(
    database: DatabaseName,
    worker: StartedWorker,
    openFile: (options: StoreOptions) => Promise<Opened>,
  ): Promise<Opened> {
    try {
      await this.#prepare(database);
    } catch (error) {
      await worker.stop();
      throw error;
    }
    let migrated = false;
    const opened = await openFile({
      worker,
      beforeMigration: async (next) => {
        migrated = true;
        await this.#copyBefore(database, next);
      },
    });
    if (migrated) await this.#removeOldCopies(database);
    return opened;
  }

  /** Rejects when the database is lost or damaged and cannot be repaired. */
  async #prepare(database: DatabaseName): Promise<void> {
    const deps = this.#deps;
    const loss = await findLoss(deps.dataDir, database);
    if (loss !== null) throw loss;
    await resolveJournal(deps, database);
    if (this.#isServing) this.#endChecks.push(await prepareDatabase(deps, database));
  }

  /** Cancels the checks of large databases that still run. */
  async stopChecks(): Promise<void> {
    await Promise.all(this.#endChecks.splice(0).map(async (end) => await end()));
  }

  /** Runs work that reads a database. When that rejects because of damage, adds the copy that can be restored to the error. */
  async withRestoreAdvice<Value>(
    database: DatabaseName,
    work: () => Promise<Value>,
  ): Promise<Value> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof DatabaseDamagedError
        ? await withRestoreAdvice(error, database, this.#deps)
        : error;
    }
  }

  /**
   * A disk without space for a copy must not keep a new version from starting: a migration is applied completely or not at
   * all.
   */
  async #copyBefore(database: DatabaseName, migration: string): Promise<void> {
    try {
      await createCopyBeforeMigration(this.#deps, database, migration);
    } catch (error) {
      this.#deps.log('warn', `No copy of ${database}.db could be made before its migration.`, {
        reason: String(error),
      });
    }
  }

  /** Removes old copies only after a successful migration: until then an older copy may be the one that is needed. */
  async #removeOldCopies(database: DatabaseName): Promise<void> {
    try {
      await removeOldCopies(this.#deps.dataDir, database);
    } catch (error) {
      this.#deps.log('warn', `Old copies of ${database}.db could not be removed.`, {
        reason: String(error),
      });
    }
  }
}
