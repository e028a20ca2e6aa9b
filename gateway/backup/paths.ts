import { copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { withFolder, systemCode } from '../lib/disk.ts';
import type { DatabaseName } from '../store/store.ts';

/** Returns the path of this database in a data folder. */
export function databasePath(dataDir: string, database: DatabaseName): string {
  return join(dataDir, `${database}.db`);
}

/** Returns the folder of the copies: `gatehouse-12-2026-11-22T17-38-50-000Z.db` is the twelfth copy of `gatehouse.db`. */
export function copiesPath(dataDir: string): string {
  return join(dataDir, 'copies');
}

/** Formats a time for a file name that every system accepts: `2026-11-22T17-38-50-000Z`. */
export function formatFileTime(time: number): string {
  return new Date(time).toISOString().replaceAll(/[:.]/gu, '-');
}

/** Reverses `formatFileTime`. Returns Unix time in milliseconds; NaN for anything else. */
export function parseFileTime(mark: string): number {
  return Date.parse(mark.replace(/T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z$/u, 'T$1:$2:$3.$4Z'));
}

/** Suffixes of the files that SQLite keeps beside a database. */
const SIDE_FILE_SUFFIXES = ['-wal', '-shm', '-journal'] as const;

const MOVED_SUFFIXES = {
  all: ['', ...SIDE_FILE_SUFFIXES],
  log: SIDE_FILE_SUFFIXES,
  journal: ['-journal'],
} as const;

/** Returns the path of the rollback journal, which exists during a change and after a process died in one. */
export function journalPath(file: string): string {
  return `${file}-journal`;
}

/**
 * Moves a database with its side files, or only those, into the folder `damaged`, under a name with the time. Reads and
 * changes nothing of it. Resolves with the new path. Rejects with DiskError.
 */
export async function moveToDamaged(
  dataDir: string,
  database: DatabaseName,
  { now, only = 'all' }: { readonly now: number; readonly only?: 'all' | 'log' | 'journal' },
): Promise<string> {
  const folder = join(dataDir, 'damaged');
  const file = databasePath(dataDir, database);
  const aside = join(folder, `${database}-${formatFileTime(now)}.db`);
  const move = async () => {
    for (const end of MOVED_SUFFIXES[only]) {
      await rename(`${file}${end}`, `${aside}${end}`).catch((error: unknown) => {
        if (systemCode(error) !== 'ENOENT') throw error;
      });
    }
  };
  await withFolder(folder, move, formatKeptMessage(file));
  return `${aside}${MOVED_SUFFIXES[only][0]}`;
}

function formatKeptMessage(file: string): string {
  return ` Replaced files of ${file} are kept there, so nothing was changed yet.`;
}

/** Copies the log of a database into the folder `damaged`, under a name with the time. Resolves with the new path. */
export async function copyLogToDamaged(
  dataDir: string,
  database: DatabaseName,
  now: number,
): Promise<string> {
  const folder = join(dataDir, 'damaged');
  const file = databasePath(dataDir, database);
  const aside = join(folder, `${database}-${formatFileTime(now)}.db-wal`);
  await withFolder(
    folder,
    async () => await copyFile(`${file}-wal`, aside),
    formatKeptMessage(file),
  );
  return aside;
}
