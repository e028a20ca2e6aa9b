import { lstatSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { systemCode } from '../../gateway/lib/disk.ts';
import { UserError } from '../../gateway/errors.ts';

/** A lock that belongs to this process until it is released or the process ends, however it ends. */
export interface ExclusiveLock {
  /** May be called twice. */
  release(): void;
}

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html). */
const BUSY = 5;
const IO_ERROR = 10;
const NOT_A_DATABASE = 26;

const RETRY_MS = 5;
/** A look at the lock takes microseconds, so whoever reads longer than this is another program. */
const MAX_PROBE_MS = 5_000;

/**
 * Takes the lock that is this file, or resolves with `null` when somebody has it, in this process or in another one. The operating
 * system keeps it for SQLite (`BEGIN EXCLUSIVE`), so it is seen from every pid namespace and container of one machine. The file holds
 * nothing and stays: a lock that is removed and made again can be two. It must be opened by SQLite only, for POSIX gives up
 * the locks of a process as soon as it closes the file by any other descriptor (https://www.sqlite.org/howtocorrupt.html, 2.2).
 * @throws UserError when the file cannot be used.
 */
export async function acquireExclusiveLock(file: string): Promise<ExclusiveLock | null> {
  const end = performance.now() + MAX_PROBE_MS;
  while (performance.now() < end) {
    const lock = tryLock(file);
    if (lock !== null) return lock;
    if (isLocked(file)) return null;
    // Somebody only looked, or tried at the same moment and got no further either.
    await pause(RETRY_MS * (1 + Math.random()));
  }
  throw new UserError(`${file} is read by another program all the time. End that program.`);
}

/** Whether somebody has the lock, in this process or in another one. Looking takes it from nobody. @throws UserError as above */
export function isLocked(file: string): boolean {
  if (!lockFileExists(file)) return false;
  const database = openDatabase(file, { readOnly: true });
  try {
    return !tryExec(database, 'select 1 from sqlite_schema');
  } catch (error) {
    throw unusableLockError(file, error);
  } finally {
    database.close();
  }
}

function tryLock(file: string): ExclusiveLock | null {
  // In one go: a descriptor that is closed later would end the lock of whoever has it by then.
  if (!lockFileExists(file)) createLockFile(file);
  const database = openDatabase(file, { readOnly: false });
  try {
    // Without a journal in memory there would be a file of it beside the lock.
    const taken = ['pragma journal_mode = memory', 'begin exclusive'].every((sql) =>
      tryExec(database, sql),
    );
    if (taken) return holdLock(database);
  } catch (error) {
    database.close();
    throw unusableLockError(file, error);
  }
  database.close();
  return null;
}

/** A connection that nobody refers to is closed with the next garbage collection, and the lock with it: so the process refers to it. */
function holdLock(database: DatabaseSync): ExclusiveLock {
  const release = (): void => {
    process.off('exit', release);
    if (database.isOpen) database.close();
  };
  process.on('exit', release);
  return { release };
}

/** For its owner only: anybody who may read it could keep it from being taken. */
function createLockFile(file: string): void {
  try {
    writeFileSync(file, '', { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw unusableLockError(file, error);
  }
}

function openDatabase(file: string, { readOnly }: { readonly readOnly: boolean }): DatabaseSync {
  try {
    return new DatabaseSync(file, { readOnly, timeout: 0 });
  } catch (error) {
    throw unusableLockError(file, error);
  }
}

/** `false` when another connection stands in the way. */
function tryExec(database: DatabaseSync, sql: string): boolean {
  try {
    database.exec(sql);
    return true;
  } catch (error) {
    if (resultCode(error) === BUSY) return false;
    throw error;
  }
}

/** SQLite would follow a link and wait for a pipe. */
function lockFileExists(file: string): boolean {
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined || found.isFile()) return found !== undefined;
  } catch (error) {
    throw unusableLockError(file, error);
  }
  throw new UserError(`${file} is not an ordinary file. Remove it.`);
}

function unusableLockError(file: string, cause: unknown): UserError {
  return new UserError(`${file} cannot be used: ${describeLockError(cause)}`, null, { cause });
}

function describeLockError(cause: unknown): string {
  const code = resultCode(cause);
  if (code === NOT_A_DATABASE) return 'it is not the lock that Gatehouse made. Remove it.';
  if (code === IO_ERROR) {
    return 'its file system keeps no locks, as some network file systems do. Choose a data folder on a disk of this machine.';
  }
  return cause instanceof Error ? cause.message : 'no reason given';
}

function resultCode(error: unknown): number | null {
  const code: unknown = Reflect.get(Object(error), 'errcode');
  return typeof code === 'number' ? code & 0xff : null;
}
