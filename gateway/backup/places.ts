import { copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { inFolder, systemCode } from '../disk.ts';
import type { DatabaseName } from '../store/store.ts';

/** The database of this name in a data folder. */
export function databaseFile(dataDir: string, database: DatabaseName): string {
  return join(dataDir, `${database}.db`);
}

/** Where copies lie: `gatehouse-12-2026-11-22T17-38-50-000Z.db` is the twelfth of `gatehouse.db`. */
export function copiesFolder(dataDir: string): string {
  return join(dataDir, 'copies');
}

/** A time as a part of a file name that every system takes. */
export function timeMark(time: number): string {
  return new Date(time).toISOString().replaceAll(/[:.]/gu, '-');
}

/** The reverse of `timeMark`, Unix time in milliseconds; NaN for what is none. */
export function timeOfMark(mark: string): number {
  return Date.parse(mark.replace(/T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z$/u, 'T$1:$2:$3.$4Z'));
}

/** Files that SQLite keeps beside a database. */
const SIDE_FILES = ['-wal', '-shm', '-journal'] as const;

const ENDS = { all: ['', ...SIDE_FILES], log: SIDE_FILES, journal: ['-journal'] } as const;

/** The journal of a change that is under way, or that a process left when it died. */
export function journalOf(file: string): string {
  return `${file}-journal`;
}

/**
 * Moves a database with its side files, or only those, into the folder `damaged`, under a name with the time. Nothing of it is read or
 * changed. Gives the new path. Rejects with DiskProblem.
 */
export async function setAside(
  dataDir: string,
  database: DatabaseName,
  { now, only = 'all' }: { readonly now: number; readonly only?: 'all' | 'log' | 'journal' },
): Promise<string> {
  const folder = join(dataDir, 'damaged');
  const file = databaseFile(dataDir, database);
  const aside = join(folder, `${database}-${timeMark(now)}.db`);
  const move = async () => {
    for (const end of ENDS[only]) {
      await rename(`${file}${end}`, `${aside}${end}`).catch((error: unknown) => {
        if (systemCode(error) !== 'ENOENT') throw error;
      });
    }
  };
  await inFolder(folder, move, keptThere(file));
  return `${aside}${ENDS[only][0]}`;
}

function keptThere(file: string): string {
  return ` What is replaced of ${file} is kept there, so nothing was changed yet.`;
}

/** Copies the log of a database into the folder `damaged`, under a name with the time. Gives the new path. */
export async function keepLog(
  dataDir: string,
  database: DatabaseName,
  now: number,
): Promise<string> {
  const folder = join(dataDir, 'damaged');
  const file = databaseFile(dataDir, database);
  const aside = join(folder, `${database}-${timeMark(now)}.db-wal`);
  await inFolder(folder, async () => await copyFile(`${file}-wal`, aside), keptThere(file));
  return aside;
}
