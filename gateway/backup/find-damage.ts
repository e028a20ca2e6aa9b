import {
  startInitialCheck,
  type DatabaseDamagedError,
  type DatabaseName,
  withFullDiskFallback,
  inspect,
  DATABASE_KINDS,
} from '../store/store.ts';
import { findLoss } from './find-loss.ts';
import { databasePath } from './paths.ts';
import { toDamage, finishesInTime } from './prepare-database.ts';

/**
 * Checks a database without changing it, for as long as a start would wait. Resolves with the damage found by then; `null` for
 * none, and for a database that was never created. Rejects with StoreError, DatabaseDamagedError among them.
 */
export async function findDamage(
  dataDir: string,
  database: DatabaseName,
): Promise<DatabaseDamagedError | null> {
  const loss = await findLoss(dataDir, database);
  if (loss !== null) return loss;
  const file = databasePath(dataDir, database);
  return await withFullDiskFallback(file, async () => await checkFile(file, database));
}

async function checkFile(
  file: string,
  database: DatabaseName,
): Promise<DatabaseDamagedError | null> {
  if (inspect(file, DATABASE_KINDS[database]) === null) return null;
  const check = startInitialCheck({ file, thorough: false });
  try {
    await finishesInTime(check);
    return toDamage(file, check.findings);
  } finally {
    await check.cancel();
  }
}
