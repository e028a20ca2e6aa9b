import { lstatSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { systemCode } from './disk.ts';
import { UserError } from '../errors.ts';

/** A lock that belongs to this process until it is released or the process ends, however it ends. */
export interface ExclusiveLock {
  /** Releases the lock. May be called twice. */
  release(): void;
}

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html). */
const BUSY = 5;
const IO_ERROR = 10;
const NOT_A_DATABASE = 26;

const RETRY_MS = 5;
/** Timeout for a foreign reader. Our own check of the lock takes microseconds, so a longer reader is another program. */
const MAX_PROBE_MS = 5_000;

/**
 * Acquires the lock of this file, or resolves with `null` when this or another process has it. The operating system manages it for
 * SQLite (`BEGIN EXCLUSIVE`), so it works across pid namespaces and containers of one machine. The file is empty and is never removed: a
 * lock that is removed and recreated can exist twice. It must be opened by SQLite only, because POSIX releases the locks of a process
 * when it closes the file by any other descriptor (https://www.sqlite.org/howtocorrupt.html, 2.2). @throws UserError when the file
 * cannot be used.
 */
export async function acquireExclusiveLock(file: string): Promise<ExclusiveLock | null> {
  const end = performance.now() + MAX_PROBE_MS;
  while (performance.now() < end) {
    const lock = tryLock(file);
    if (lock !== null) return lock;
    if (isLocked(file)) return null;
    // Another process only checked the lock, or tried at the same moment and did not get it either.
    await pause(RETRY_MS * (1 + Math.random()));
  }
  throw new UserError(`${file} is read by another program all the time. End that program.`);
}

/** Whether this or another process has the lock. Checking does not take it from anybody. @throws UserError as above */
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
  // Everything happens synchronously: a descriptor that is closed later would release the lock of its next owner.
  if (!lockFileExists(file)) createLockFile(file);
  const database = openDatabase(file, { readOnly: false });
  try {
    // With a journal on disk, a file of it would lie beside the lock.
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

/** References the connections: one that is garbage-collected is closed, and its lock released. */
function holdLock(database: DatabaseSync): ExclusiveLock {
  const release = (): void => {
    process.off('exit', release);
    if (database.isOpen) database.close();
  };
  process.on('exit', release);
  return { release };
}

/** Creates the file for its owner only: anybody who can read it could prevent the lock from being acquired. */
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

/** Tries to lock; `false` when another connection is in the way. */
function tryExec(database: DatabaseSync, sql: string): boolean {
  try {
    database.exec(sql);
    return true;
  } catch (error) {
    if (resultCode(error) === BUSY) return false;
    throw error;
  }
}

/** Checks that it is a regular file, because SQLite would follow a link and wait for a pipe. */
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
