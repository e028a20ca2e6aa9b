import { existsSync } from 'node:fs';
import { DatabaseDamagedError, type DatabaseName, rollBack } from '../store/store.ts';
import type { BackupDeps } from './deps.ts';
import { databasePath, journalPath, moveToDamaged } from './paths.ts';

/**
 * Rolls back a change that a killed process left half-done: until then the database cannot be read or checked. A database with
 * a write-ahead log has no other journal, so a journal beside the log belongs to something else and is moved away. Rejects
 * with StoreError.
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
    log('warn', `A foreign journal was found beside ${file}. It is kept: ${aside}`);
    return;
  }
  try {
    rollBack(file);
  } catch (error) {
    // The check of the file reports what is wrong and repairs what can be repaired.
    if (!(error instanceof DatabaseDamagedError)) throw error;
  }
}
