import { existsSync } from 'node:fs';
import { DatabaseDamagedError, type DatabaseName, rollBack } from '../store/store.ts';
import type { BackupDeps } from './deps.ts';
import { databasePath, journalPath, moveToDamaged } from './paths.ts';

/**
 * Ends a change that a killed process left half-done: until then the database cannot be read, not even to be looked through. A database with a
 * write-ahead log keeps no other journal, so one beside the log is not its own and is set aside. Rejects with StoreError.
 */
export async function resolveJournal(
  { dataDir, now, log }: BackupDeps,
  database: DatabaseName,
): Promise<void> {
  const file = databasePath(dataDir, database);
  const logged = existsSync(`${file}-wal`);
  if (!existsSync(file) || !existsSync(journalPath(file))) return;
  if (logged) {
    const aside = await moveToDamaged(dataDir, database, { now: now(), only: 'journal' });
    log('warn', `A journal that is not its own lay beside ${file}. It is kept: ${aside}`);
    return;
  }
  try {
    rollBack(file);
  } catch (error) {
    // The look through the file says what is wrong with it, and mends what can be mended.
    if (!(error instanceof DatabaseDamagedError)) throw error;
  }
}
