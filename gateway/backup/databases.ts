import {
  DatabaseDamagedError,
  type DatabaseName,
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

/** Opens the databases of a data folder; one that is damaged is mended, or refused with the copy that can be restored. */
export class Databases {
  readonly #deps: BackupDeps;
  readonly #isServing: boolean;
  readonly #endChecks: (() => Promise<void>)[] = [];

  /** `serves`: this process has the folder for itself, so it may mend what it finds. */
  constructor(deps: BackupDeps, isServing: boolean) {
    this.#deps = deps;
    this.#isServing = isServing;
  }

  /** Rejects with StoreError, whose messages are for people; DatabaseDamaged among them names no copy yet. */
  async open<Opened>(
    database: DatabaseName,
    openFile: (file: string, options: StoreOptions) => Promise<Opened>,
  ): Promise<Opened> {
    const file = databasePath(this.#deps.dataDir, database);
    return await withFullDiskFallback(
      file,
      async (alone) =>
        await this.#openOnce(
          database,
          async (storeOptions) => await openFile(file, { ...storeOptions, alone }),
        ),
    );
  }

  async #openOnce<Opened>(
    database: DatabaseName,
    openFile: (options: StoreOptions) => Promise<Opened>,
  ): Promise<Opened> {
    const deps = this.#deps;
    const loss = await findLoss(deps.dataDir, database);
    if (loss !== null) throw loss;
    await resolveJournal(deps, database);
    if (this.#isServing) this.#endChecks.push(await prepareDatabase(deps, database));
    let migrated = false;
    const opened = await openFile({
      beforeMigration: async (next) => {
        migrated = true;
        await this.#copyBefore(database, next);
      },
    });
    if (migrated) await this.#removeOldCopies(database);
    return opened;
  }

  /** Ends what still looks through a large database. */
  async stopChecks(): Promise<void> {
    await Promise.all(this.#endChecks.splice(0).map(async (end) => await end()));
  }

  /** Does what reads a database, and adds the copy that can be restored to what it rejects with when that is damaged. */
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

  /** A disk without room for a copy must not keep a new Gatehouse from starting: a migration is done whole or not at all. */
  async #copyBefore(database: DatabaseName, migration: string): Promise<void> {
    try {
      await createCopyBeforeMigration(this.#deps, database, migration);
    } catch (error) {
      this.#deps.log('warn', `No copy of ${database}.db could be made before it is changed.`, {
        reason: String(error),
      });
    }
  }

  /** Only now: until a migration has succeeded, an older copy may be the one that is needed. */
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
