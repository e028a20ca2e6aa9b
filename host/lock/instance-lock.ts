import { lstatSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { isFull, systemCode } from '../../gateway/lib/disk.ts';
import { UserError } from '../../gateway/errors.ts';
import { KeyState } from '../../shared/upstream.ts';
import { isLocked, acquireExclusiveLock } from './exclusive-lock.ts';

const LockOwner = z.object({
  /** In its own pid namespace: in another container it may be anybody's. */
  pid: z.number().int().positive(),
  /** Name of its machine or container. */
  host: z.string(),
  /** `null` while it is starting. */
  port: z.number().int().nullable(),
  /** `null` without a window. */
  windowPort: z.number().int().nullable(),
  /** `video`: a command that runs the engine only until its videos are there. */
  runs: z.enum(['serve', 'desktop', 'video']),
  /** The service in use: its base address, or `sandbox`; `null` while it is starting: then the active one of the data folder. */
  service: z.string().nullable(),
  /** Where the key of that service comes from; `null` while it is starting. Holds no secret. */
  key: KeyState.nullable().default(null),
  /** Opens what its engine tells of itself, and nothing else; `null` while it is starting. */
  reportKey: z.string().nullable().default(null),
});
/** The process that serves a data folder. */
export type LockOwner = z.infer<typeof LockOwner>;

/** What others want to know of the process that serves. */
export type LockInfo = Partial<
  Pick<LockOwner, 'port' | 'windowPort' | 'service' | 'key' | 'reportKey'>
>;

export interface Lock {
  /** Tells other processes about this one; what was told before and is not told anew stays. Does nothing after the release. @throws UserError */
  update(info: LockInfo): void;
  /** May be called twice. The lock ends with the process, too. */
  release(): void;
}

/** So often a process that has just taken the lock is asked who it is. */
const MAX_OWNER_READS = 40;
const OWNER_READ_PAUSE_MS = 25;
/** So often a note that a full disk did not take is tried again. */
const WRITE_RETRY_MS = 500;

/**
 * Takes the one lock of a data folder for as long as this process lives, or says who has it. `serving.lock` decides, which the
 * operating system keeps; `serving.json` only tells others about the process that has it.
 * @throws UserError when one of the files cannot be used.
 */
export async function acquireLock(
  dataDir: string,
  runs: LockOwner['runs'] = 'serve',
): Promise<Lock | LockOwner> {
  const held = await acquireExclusiveLock(lockPath(dataDir));
  // Who has it may end between the two looks.
  if (held === null) return (await readLockOwner(dataDir)) ?? (await acquireLock(dataDir, runs));
  const file = ownerPath(dataDir);
  const nothingYet = { port: null, windowPort: null, service: null, key: null, reportKey: null };
  let own: LockOwner = { pid: process.pid, host: hostname(), runs, ...nothingYet };
  let released = false;
  let again: NodeJS.Timeout | undefined;
  const tell = (): void => {
    clearTimeout(again);
    if (!replaceOwnerFile(file, own)) again = setTimeout(tellLater, WRITE_RETRY_MS).unref();
  };
  const tellLater = (): void => {
    try {
      tell();
    } catch {
      // The lock holds without the note, and nobody waits for it any more.
    }
  };
  const lock: Lock = {
    update(where) {
      if (released) return;
      own = { ...own, ...where };
      tell();
    },
    release() {
      if (released) return;
      released = true;
      clearTimeout(again);
      rmSync(file, { force: true });
      held.release();
    },
  };
  try {
    lock.update({});
  } catch (error) {
    held.release();
    throw error;
  }
  return lock;
}

/** The living process that serves this data folder; `null` when there is none. @throws UserError as `acquireLock` does. */
export async function readLockOwner(dataDir: string): Promise<LockOwner | null> {
  for (let look = 0; look < MAX_OWNER_READS; look += 1) {
    if (!isLocked(lockPath(dataDir))) return null;
    const owner = await readOwnerFile(ownerPath(dataDir));
    if (owner !== null) return owner;
    // It took the lock a moment ago and has not said yet who it is.
    await pause(OWNER_READ_PAUSE_MS);
  }
  if (isFull(dataDir)) {
    throw new UserError(
      `Another process runs Gatehouse on the data folder ${dataDir}, whose disk is full: it has no room for ${ownerPath(dataDir)}, which tells which one. Free some space, then try again.`,
    );
  }
  throw new UserError(
    `Another process runs Gatehouse on the data folder ${dataDir}, but ${ownerPath(dataDir)} does not tell which one. End it, then try again.`,
  );
}

/** The process in words: `pid 12`, and where that number is to be found when it is not on this machine. */
export function describeProcess({ pid, host }: LockOwner): string {
  return host === hostname() ? `pid ${pid}` : `pid ${pid} on ${host}`;
}

function lockPath(dataDir: string): string {
  return join(dataDir, 'serving.lock');
}

function ownerPath(dataDir: string): string {
  return join(dataDir, 'serving.json');
}

/** `null` when it is not there or not whole. */
async function readOwnerFile(file: string): Promise<LockOwner | null> {
  try {
    requireRegularFile(file, await lstat(file));
    return LockOwner.safeParse(JSON.parse(await readFile(file, 'utf8'))).data ?? null;
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || error instanceof SyntaxError) return null;
    throw error instanceof UserError ? error : unusableLockError(file, error);
  }
}

/** At once, so that nobody reads of the process before while this one has the lock. `false` when the disk is too full. */
function replaceOwnerFile(file: string, owner: LockOwner): boolean {
  const temporary = `${file}.new`;
  try {
    const before = lstatSync(file, { throwIfNoEntry: false });
    if (before !== undefined) requireRegularFile(file, before);
    rmSync(temporary, { force: true });
    try {
      writeFileSync(temporary, JSON.stringify(owner), { mode: 0o600, flag: 'wx' });
      renameSync(temporary, file);
    } catch (error) {
      if (systemCode(error) !== 'ENOSPC') throw error;
      rmSync(temporary, { force: true });
      // A full disk has room for what is written in the place of something else. Without a note the lock holds all the same.
      if (before === undefined) return false;
      overwriteOwnerFile(file, JSON.stringify(owner));
    }
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOSPC') return false;
    throw error instanceof UserError ? error : unusableLockError(file, error);
  }
}

function overwriteOwnerFile(file: string, text: string): void {
  writeFileSync(file, text, { flag: 'r+' });
  truncateSync(file, Buffer.byteLength(text));
}

function requireRegularFile(file: string, found: { isFile(): boolean }): void {
  if (!found.isFile()) throw new UserError(`${file} is not an ordinary file. Remove it.`);
}

function unusableLockError(file: string, cause: unknown): UserError {
  const reason = cause instanceof Error ? cause.message : 'no reason given';
  return new UserError(`${file} cannot be used: ${reason}`, null, { cause });
}
