import {
  DatabaseDamaged,
  type DatabaseName,
  evenOnFullDisk,
  type StoreOptions,
} from '../store/store.ts';
import { makeCopyBefore, removeOldCopies } from './copies.ts';
import type { BackupGround } from './ground.ts';
import { lossOf } from './missing.ts';
import { withOffer } from './offer.ts';
import { databaseFile } from './places.ts';
import { settleJournal } from './journal.ts';
import { makeReady } from './ready.ts';

/** Opens the databases of a data folder; one that is damaged is mended, or refused with the copy that can be restored. */
export class Databases {
  readonly #ground: BackupGround;
  readonly #serves: boolean;
  readonly #looks: (() => Promise<void>)[] = [];

  /** `serves`: this process has the folder for itself, so it may mend what it finds. */
  constructor(ground: BackupGround, serves: boolean) {
    this.#ground = ground;
    this.#serves = serves;
  }

  /** Rejects with StoreError, whose messages are for people; DatabaseDamaged among them names no copy yet. */
  async open<Opened>(
    database: DatabaseName,
    openFile: (file: string, options: StoreOptions) => Promise<Opened>,
  ): Promise<Opened> {
    const file = databaseFile(this.#ground.dataDir, database);
    return await evenOnFullDisk(
      file,
      async (alone) =>
        await this.#openOnce(database, async (how) => await openFile(file, { ...how, alone })),
    );
  }

  async #openOnce<Opened>(
    database: DatabaseName,
    openFile: (options: StoreOptions) => Promise<Opened>,
  ): Promise<Opened> {
    const ground = this.#ground;
    const loss = await lossOf(ground.dataDir, database);
    if (loss !== null) throw loss;
    await settleJournal(ground, database);
    if (this.#serves) this.#looks.push(await makeReady(ground, database));
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
  async endLooks(): Promise<void> {
    await Promise.all(this.#looks.splice(0).map(async (end) => await end()));
  }

  /** Does what reads a database, and adds the copy that can be restored to what it rejects with when that is damaged. */
  async offering<Value>(database: DatabaseName, work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof DatabaseDamaged
        ? await withOffer(error, database, this.#ground)
        : error;
    }
  }

  /** A disk without room for a copy must not keep a new Gatehouse from starting: a migration is done whole or not at all. */
  async #copyBefore(database: DatabaseName, migration: string): Promise<void> {
    try {
      await makeCopyBefore(this.#ground, database, migration);
    } catch (error) {
      this.#ground.log('warn', `No copy of ${database}.db could be made before it is changed.`, {
        reason: String(error),
      });
    }
  }

  /** Only now: until a migration has succeeded, an older copy may be the one that is needed. */
  async #removeOldCopies(database: DatabaseName): Promise<void> {
    try {
      await removeOldCopies(this.#ground.dataDir, database);
    } catch (error) {
      this.#ground.log('warn', `Old copies of ${database}.db could not be removed.`, {
        reason: String(error),
      });
    }
  }
}
