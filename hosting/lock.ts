import { lstatSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { isFull, systemCode } from '../gateway/disk.ts';
import { Refused } from '../gateway/refused.ts';
import { KeyState } from '../shared/upstream.ts';
import { isLocked, takeExclusiveLock } from './exclusive-lock.ts';

const Holder = z.object({
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
export type Holder = z.infer<typeof Holder>;

/** What others want to know of the process that serves. */
export type Whereabouts = Partial<
  Pick<Holder, 'port' | 'windowPort' | 'service' | 'key' | 'reportKey'>
>;

export interface Lock {
  /** Tells other processes about this one; what was told before and is not told anew stays. Does nothing after the release. @throws Refused */
  announce(where: Whereabouts): void;
  /** May be called twice. The lock ends with the process, too. */
  release(): void;
}

/** So often a process that has just taken the lock is asked who it is. */
const LOOKS = 40;
const BETWEEN_LOOKS_MS = 25;
/** So often a note that a full disk did not take is tried again. */
const NOTE_AGAIN_MS = 500;

/**
 * Takes the one lock of a data folder for as long as this process lives, or says who has it. `serving.lock` decides, which the
 * operating system keeps; `serving.json` only tells others about the process that has it.
 * @throws Refused when one of the files cannot be used.
 */
export async function takeLock(
  dataDir: string,
  runs: Holder['runs'] = 'serve',
): Promise<Lock | Holder> {
  const held = await takeExclusiveLock(lockFile(dataDir));
  // Who has it may end between the two looks.
  if (held === null) return (await readHolder(dataDir)) ?? (await takeLock(dataDir, runs));
  const file = noteFile(dataDir);
  const nothingYet = { port: null, windowPort: null, service: null, key: null, reportKey: null };
  let own: Holder = { pid: process.pid, host: hostname(), runs, ...nothingYet };
  let released = false;
  let again: NodeJS.Timeout | undefined;
  const tell = (): void => {
    clearTimeout(again);
    if (!replace(file, own)) again = setTimeout(tellLater, NOTE_AGAIN_MS).unref();
  };
  const tellLater = (): void => {
    try {
      tell();
    } catch {
      // The lock holds without the note, and nobody waits for it any more.
    }
  };
  const lock: Lock = {
    announce(where) {
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
    lock.announce({});
  } catch (error) {
    held.release();
    throw error;
  }
  return lock;
}

/** The living process that serves this data folder; `null` when there is none. @throws Refused as `takeLock` does. */
export async function readHolder(dataDir: string): Promise<Holder | null> {
  for (let look = 0; look < LOOKS; look += 1) {
    if (!isLocked(lockFile(dataDir))) return null;
    const holder = await readNote(noteFile(dataDir));
    if (holder !== null) return holder;
    // It took the lock a moment ago and has not said yet who it is.
    await pause(BETWEEN_LOOKS_MS);
  }
  if (isFull(dataDir)) {
    throw new Refused(
      `Another process runs Gatehouse on the data folder ${dataDir}, whose disk is full: it has no room for ${noteFile(dataDir)}, which tells which one. Free some space, then try again.`,
    );
  }
  throw new Refused(
    `Another process runs Gatehouse on the data folder ${dataDir}, but ${noteFile(dataDir)} does not tell which one. End it, then try again.`,
  );
}

/** The process in words: `pid 12`, and where that number is to be found when it is not on this machine. */
export function processOf({ pid, host }: Holder): string {
  return host === hostname() ? `pid ${pid}` : `pid ${pid} on ${host}`;
}

function lockFile(dataDir: string): string {
  return join(dataDir, 'serving.lock');
}

function noteFile(dataDir: string): string {
  return join(dataDir, 'serving.json');
}

/** `null` when it is not there or not whole. */
async function readNote(file: string): Promise<Holder | null> {
  try {
    requireOrdinary(file, await lstat(file));
    return Holder.safeParse(JSON.parse(await readFile(file, 'utf8'))).data ?? null;
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || error instanceof SyntaxError) return null;
    throw error instanceof Refused ? error : unusable(file, error);
  }
}

/** At once, so that nobody reads of the process before while this one has the lock. `false` when the disk is too full. */
function replace(file: string, holder: Holder): boolean {
  const fresh = `${file}.new`;
  try {
    const before = lstatSync(file, { throwIfNoEntry: false });
    if (before !== undefined) requireOrdinary(file, before);
    rmSync(fresh, { force: true });
    try {
      writeFileSync(fresh, JSON.stringify(holder), { mode: 0o600, flag: 'wx' });
      renameSync(fresh, file);
    } catch (error) {
      if (systemCode(error) !== 'ENOSPC') throw error;
      rmSync(fresh, { force: true });
      // A full disk has room for what is written in the place of something else. Without a note the lock holds all the same.
      if (before === undefined) return false;
      writeOver(file, JSON.stringify(holder));
    }
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOSPC') return false;
    throw error instanceof Refused ? error : unusable(file, error);
  }
}

function writeOver(file: string, text: string): void {
  writeFileSync(file, text, { flag: 'r+' });
  truncateSync(file, Buffer.byteLength(text));
}

function requireOrdinary(file: string, found: { isFile(): boolean }): void {
  if (!found.isFile()) throw new Refused(`${file} is not an ordinary file. Remove it.`);
}

function unusable(file: string, cause: unknown): Refused {
  const reason = cause instanceof Error ? cause.message : 'no reason given';
  return new Refused(`${file} cannot be used: ${reason}`, null, { cause });
}
