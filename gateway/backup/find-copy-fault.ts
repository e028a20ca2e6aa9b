import {
  startFileJob,
  DatabaseDamagedError,
  inspect,
  DATABASE_KINDS,
  StoreError,
} from '../store/store.ts';
import type { Copy } from './copies.ts';

/** Returns why a copy cannot be restored, without a full stop; `null` for an intact one. Reads all of it. */
export async function findCopyFault({
  file,
  database,
}: Pick<Copy, 'file' | 'database'>): Promise<string | null> {
  try {
    if (inspect(file, DATABASE_KINDS[database]) === null) return 'it no longer exists';
    const check = startFileJob({ kind: 'check', file, thorough: true });
    await check.done;
    return check.findings[0]?.text ?? null;
  } catch (error) {
    if (error instanceof DatabaseDamagedError) return error.finding;
    if (!(error instanceof StoreError)) throw error;
    return error.code === 'newer' ? 'a newer Gatehouse made it' : 'it cannot be read';
  }
}

/** Finds the newest copy of a database that can be restored; `null` when there is none. */
export async function findNewestIntact(
  copies: readonly Copy[],
  database: Copy['database'],
): Promise<Copy | null> {
  for (const copy of copies) {
    if (copy.database === database && (await findCopyFault(copy)) === null) return copy;
  }
  return null;
}
