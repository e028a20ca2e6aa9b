import { existsSync } from 'node:fs';
import { DatabaseDamagedError, type DatabaseName } from '../store/store.ts';
import { listCopies } from './copies.ts';
import { copiesPath, databasePath } from './paths.ts';

/**
 * Distinguishes a lost database from one that was never created: a lost one has left a copy or its log. A new file in its
 * place would hide the loss, and SQLite would apply the log to it. Resolves with `null` when the file exists or never did.
 * Rejects with DiskError.
 */
export async function findLoss(
  dataDir: string,
  database: DatabaseName,
): Promise<DatabaseDamagedError | null> {
  const file = databasePath(dataDir, database);
  // A database that exists can be opened, even when the folder of copies cannot be read.
  if (existsSync(file)) return null;
  // Both are created after the file, so the file is checked again: another process may be creating it now.
  const copied = (await listCopies(dataDir)).some((copy) => copy.database === database);
  const logged = existsSync(`${file}-wal`);
  if ((!copied && !logged) || existsSync(file)) return null;
  const rest = copied ? 'copies of it exist' : `its log (${file}-wal) exists`;
  const anew = copied ? copiesPath(dataDir) : `${file}-wal`;
  const finding = `it is missing, and ${rest}. To start without it, move ${anew} away`;
  return new DatabaseDamagedError({ file, finding });
}
