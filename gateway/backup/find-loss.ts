import { existsSync } from 'node:fs';
import { DatabaseDamagedError, type DatabaseName } from '../store/store.ts';
import { listCopies } from './copies.ts';
import { copiesPath, databasePath } from './paths.ts';

/**
 * Tells a database that was lost from one that was never made: of a lost one there is a copy, or its log. A new file in its place
 * would hide the loss, and SQLite would work the log into it. `null` when it is there, or never was. Rejects with DiskProblem.
 */
export async function findLoss(
  dataDir: string,
  database: DatabaseName,
): Promise<DatabaseDamagedError | null> {
  const file = databasePath(dataDir, database);
  // A database that is there can be opened, whatever is wrong with the folder of the copies.
  if (existsSync(file)) return null;
  // Both are made after the file, so the file is looked for again: another process may be making it now.
  const copied = (await listCopies(dataDir)).some((copy) => copy.database === database);
  const logged = existsSync(`${file}-wal`);
  if ((!copied && !logged) || existsSync(file)) return null;
  const rest = copied ? 'copies of it are there' : `its log (${file}-wal) is there`;
  const anew = copied ? copiesPath(dataDir) : `${file}-wal`;
  const finding = `it is missing, and ${rest}. To begin anew without it, move ${anew} away`;
  return new DatabaseDamagedError({ file, finding });
}
