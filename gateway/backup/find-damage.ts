import {
  beginFileJob,
  type DatabaseDamaged,
  type DatabaseName,
  evenOnFullDisk,
  inspect,
  KINDS,
} from '../store/store.ts';
import { lossOf } from './missing.ts';
import { databaseFile } from './places.ts';
import { damageOf, within } from './ready.ts';

/**
 * Looks at a database without changing it, for as long as a start would wait. Gives the damage that showed by then; `null` for none, and for a
 * database that was never made. Rejects with StoreError, and with DatabaseDamaged, too.
 */
export async function findDamage(
  dataDir: string,
  database: DatabaseName,
): Promise<DatabaseDamaged | null> {
  const loss = await lossOf(dataDir, database);
  if (loss !== null) return loss;
  const file = databaseFile(dataDir, database);
  return await evenOnFullDisk(file, async () => await look(file, database));
}

async function look(file: string, database: DatabaseName): Promise<DatabaseDamaged | null> {
  if ((await inspect(file, KINDS[database])) === null) return null;
  const check = beginFileJob({ kind: 'check', file, thorough: false });
  try {
    await within(check);
    return damageOf(file, check.findings);
  } finally {
    await check.cancel();
  }
}
