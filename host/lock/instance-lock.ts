import { lstatSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { isFull, systemCode } from '../../gateway/lib/disk.ts';
import { UserError } from '../../gateway/errors.ts';
import { KeyState } from '../../shared/upstream.ts';
import { isLocked, acquireExclusiveLock } from '../../gateway/lib/exclusive-lock.ts';

const LockOwner = z.object({
  /** The pid in the process's own namespace; in another container it may belong to any process. */
  pid: z.number().int().positive(),
  /** Name of its machine or container. */
  host: z.string(),
  /** The port of the proxy; `null` while it is starting. */
  port: z.number().int().nullable(),
  /** The address of the window; `null` without one. */
  windowPort: z.number().int().nullable(),
  /** The kind of process. `video`: a command that runs the engine only until its videos are finished. */
  runs: z.enum(['serve', 'desktop', 'video']),
  /** The service in use: its base address, or `sandbox`; `null` while it is starting, when it is the active one of the data folder. */
  service: z.string().nullable(),
  /** The source of that service's key; `null` while it is starting. Contains no secret. */
  key: KeyState.nullable().default(null),
  /** The token for the engine's self-report, and for nothing else; `null` while it is starting. */
  reportKey: z.string().nullable().default(null),
  /** The token for calls that control the engine; `null` while it is starting. */
  controlKey: z.string().nullable().default(null),
  /** Whether a person has paused it. */
  paused: z.boolean().default(false),
});
/** The process that serves a data folder. */
export type LockOwner = z.infer<typeof LockOwner>;

/** Facts about the serving process for other processes. */
export type LockInfo = Partial<
  Pick<LockOwner, 'port' | 'windowPort' | 'service' | 'key' | 'reportKey' | 'controlKey' | 'paused'>
>;

export interface Lock {
  /**
   * Announces facts about this process to others; facts that are left out stay unchanged. Does nothing after the release. @throws
   * UserError
   */
  update(info: LockInfo): void;
  /** Releases the lock. May be called twice. The lock also ends with the process. */
  release(): void;
}

/** Number of attempts to read the announcement of a process that has just acquired the lock, and the pause between them. */
const MAX_OWNER_READS = 40;
const OWNER_READ_PAUSE_MS = 25;
/** Interval for retrying an announcement that a full disk refused. */
const WRITE_RETRY_MS = 500;

/**
 * Acquires the lock of a data folder for the life of this process, or returns the process that has it. The operating system decides by
 * `serving.lock`; `serving.json` only tells others about the process that has it. @throws UserError when one of the files cannot be
 * used.
 */
export async function acquireLock(
  dataDir: string,
  runs: LockOwner['runs'] = 'serve',
): Promise<Lock | LockOwner> {
  const exclusiveLock = await acquireExclusiveLock(lockPath(dataDir));
  // The owner may end between the two checks.
  if (exclusiveLock === null)
    return (await readLockOwner(dataDir)) ?? (await acquireLock(dataDir, runs));
  const file = ownerPath(dataDir);
  const nothingYet = {
    port: null,
    windowPort: null,
    service: null,
    key: null,
    reportKey: null,
    controlKey: null,
    paused: false,
  };
  let own: LockOwner = { pid: process.pid, host: hostname(), runs, ...nothingYet };
  let released = false;
  let retryTimer: NodeJS.Timeout | undefined;
  const announce = (): void => {
    clearTimeout(retryTimer);
    if (!replaceOwnerFile(file, own)) retryTimer = setTimeout(updateLater, WRITE_RETRY_MS).unref();
  };
  const updateLater = (): void => {
    try {
      announce();
    } catch {
      // The lock is held without the announcement, and nobody waits for it any more.
    }
  };
  const lock: Lock = {
    update(where) {
      if (released) return;
      own = { ...own, ...where };
      announce();
    },
    release() {
      if (released) return;
      released = true;
      clearTimeout(retryTimer);
      rmSync(file, { force: true });
      exclusiveLock.release();
    },
  };
  try {
    lock.update({});
  } catch (error) {
    exclusiveLock.release();
    throw error;
  }
  return lock;
}

/** Finds the living process that serves this data folder; `null` when there is none. @throws UserError as `acquireLock` does. */
export async function readLockOwner(dataDir: string): Promise<LockOwner | null> {
  for (let attempt = 0; attempt < MAX_OWNER_READS; attempt += 1) {
    if (!isLocked(lockPath(dataDir))) return null;
    const owner = await readOwnerFile(ownerPath(dataDir));
    if (owner !== null) return owner;
    // It acquired the lock a moment ago and has not announced itself yet.
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

/** Describes the process: `pid 12`, and the machine or container of that pid when it is another one. */
export function describeProcess({ pid, host }: LockOwner): string {
  return host === hostname() ? `pid ${pid}` : `pid ${pid} on ${host}`;
}

function lockPath(dataDir: string): string {
  return join(dataDir, 'serving.lock');
}

function ownerPath(dataDir: string): string {
  return join(dataDir, 'serving.json');
}

/** Reads the announcement; `null` when it is missing or incomplete. */
async function readOwnerFile(file: string): Promise<LockOwner | null> {
  try {
    requireRegularFile(file, await lstat(file));
    return LockOwner.safeParse(JSON.parse(await readFile(file, 'utf8'))).data ?? null;
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || error instanceof SyntaxError) return null;
    throw error instanceof UserError ? error : unusableLockError(file, error);
  }
}

/**
 * Writes synchronously, so that nobody reads the announcement of the previous process while this one has the lock. Returns `false` when
 * the disk is full.
 */
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
      // Overwriting in place may work on a full disk. Without an announcement the lock is still held.
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
