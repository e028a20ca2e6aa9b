import { existsSync } from 'node:fs';
import { DatabaseDamaged, type DatabaseName, rollBack } from '../store/store.ts';
import type { BackupGround } from './ground.ts';
import { databaseFile, journalOf, setAside } from './places.ts';

/**
 * Ends a change that a killed process left half-done: until then the database cannot be read, not even to be looked through. A database with a
 * write-ahead log keeps no other journal, so one beside the log is not its own and is set aside. Rejects with StoreError.
 */
export async function settleJournal(
  { dataDir, now, log }: BackupGround,
  database: DatabaseName,
): Promise<void> {
  const file = databaseFile(dataDir, database);
  const logged = existsSync(`${file}-wal`);
  if (!existsSync(file) || !existsSync(journalOf(file))) return;
  if (logged) {
    const aside = await setAside(dataDir, database, { now: now(), only: 'journal' });
    log('warn', `A journal that is not its own lay beside ${file}. It is kept: ${aside}`);
    return;
  }
  try {
    rollBack(file);
  } catch (error) {
    // The look through the file says what is wrong with it, and mends what can be mended.
    if (!(error instanceof DatabaseDamaged)) throw error;
  }
}
