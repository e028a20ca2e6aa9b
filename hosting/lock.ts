import { readFileSync, rmSync } from 'node:fs';
import { lstat, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { makeInTurn } from '../gateway/in-turn.ts';
import { birthOf } from './birth.ts';
import { isGatehouse } from './port.ts';
import { Refused } from '../gateway/refused.ts';

const Holder = z.object({
  pid: z.number().int().positive(),
  /** `null` while it is starting. */
  port: z.number().int().nullable(),
  /** `null` without a window. */
  windowPort: z.number().int().nullable().default(null),
  /** `video`: a command that runs the engine only until its videos are there. */
  runs: z.enum(['serve', 'desktop', 'video']).default('serve'),
  /** The service of this run, whatever is stored: its base address, or `sandbox`; `null` for the active one of the data folder. */
  service: z.string().nullable().default(null),
  /** Unix time in milliseconds. */
  startedAt: z.number(),
  /** As `birthOf` tells it: process ids are used again. */
  born: z.string().nullable().default(null),
});
/** The process that serves a data folder. */
export type Holder = z.infer<typeof Holder>;

/** What others want to know of the process that serves. */
export type Whereabouts = Partial<Pick<Holder, 'port' | 'windowPort' | 'service'>>;

export interface Lock {
  /** Tells other processes about this one; what was told before and is not told anew stays. Does nothing when the lock is lost. */
  announce(where: Whereabouts): Promise<void>;
  release(): void;
}

/** The clock may be set between a start and now, so only a clearly older lock counts as one from before the machine started. */
const BOOT_TOLERANCE_MS = 60_000;
/** Taking over a dead process's lock takes a moment; a takeover older than this died itself. */
const TAKEOVER_MS = 10_000;

/**
 * Takes the one lock of a data folder, or says who has it. The lock of a process that died is taken over.
 * @throws Refused when its file cannot be used.
 */
export async function takeLock(
  dataDir: string,
  now: () => number,
  runs: Holder['runs'] = 'serve',
): Promise<Lock | Holder> {
  const file = join(dataDir, 'serving.json');
  let own: Holder = { ...newHolder(now()), born: await birthOf(process.pid), runs };
  while (!(await create(file, own))) {
    const holder = await readHolder(dataDir, now);
    if (holder !== null) {
      return holder;
    }
    await removeDead(dataDir, now);
  }
  const inTurn = makeInTurn();
  return {
    announce: (where) =>
      inTurn(async () => {
        own = { ...own, ...where };
        if (isOurs(file)) await replace(file, own);
      }),
    release() {
      if (isOurs(file)) rmSync(file, { force: true });
    },
  };
}

function newHolder(startedAt: number): Holder {
  return Holder.parse({ pid: process.pid, port: null, startedAt });
}

/** Another process may have the lock by now, when this one was taken for dead. */
function isOurs(file: string): boolean {
  try {
    return readHolding(readFileSync(file, 'utf8'))?.pid === process.pid;
  } catch {
    // It is gone, or no file: nothing of ours to remove.
    return false;
  }
}

/** The living process that serves this data folder; `null` when there is none. @throws Refused as `takeLock` does. */
export async function readHolder(dataDir: string, now: () => number): Promise<Holder | null> {
  const found = await look(dataDir, now);
  return typeof found === 'string' ? null : found;
}

async function look(dataDir: string, now: () => number): Promise<Holder | 'absent' | 'dead'> {
  const file = join(dataDir, 'serving.json');
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const text = await readOrdinary(file);
    if (text === null) {
      return 'absent';
    }
    const holder = readHolding(text);
    if (holder !== null) {
      return (await isAlive(holder, now())) ? holder : 'dead';
    }
    // Made a moment ago and not written yet.
    await pause(25);
  }
  return 'dead';
}

async function create(file: string, holder: Holder): Promise<boolean> {
  try {
    await writeFile(file, JSON.stringify(holder), { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) {
      return false;
    }
    throw unusable(file, error);
  }
}

/** The content of a file; `null` when there is none. */
async function readOrdinary(file: string): Promise<string | null> {
  try {
    if (!(await lstat(file)).isFile()) {
      throw new Refused(`${file} is not an ordinary file. Remove it.`);
    }
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) {
      return null;
    }
    throw error instanceof Refused ? error : unusable(file, error);
  }
}

function unusable(file: string, cause: unknown): Refused {
  const reason = cause instanceof Error ? cause.message : 'no reason given';
  return new Refused(`${file} cannot be used: ${reason}`, null, { cause });
}

async function replace(file: string, holder: Holder): Promise<void> {
  const fresh = `${file}.${process.pid}`;
  await writeFile(fresh, JSON.stringify(holder), { mode: 0o600 });
  await rename(fresh, file);
}

/** Of several processes that find a dead lock only one may remove it: a second one would remove the lock of the first. */
async function removeDead(dataDir: string, now: () => number): Promise<void> {
  const takeover = join(dataDir, 'serving.takeover');
  if (await create(takeover, newHolder(now()))) {
    try {
      // Once it is absent, the next one may belong to a living process that came first.
      if ((await look(dataDir, now)) === 'dead') {
        await rm(join(dataDir, 'serving.json'), { force: true });
      }
    } finally {
      await rm(takeover, { force: true });
    }
    return;
  }
  await readOrdinary(takeover);
  const since = await lstat(takeover).catch(() => null);
  if (since !== null && now() - since.mtimeMs > TAKEOVER_MS) {
    await rm(takeover, { force: true });
  }
  await pause(25);
}

/**
 * Process ids are used again: after a restart of the machine, after a crash, and in containers where every start has the same one.
 * The birth decides where the system tells it; elsewhere the holder is asked at its port, and one that only starts has its time.
 */
async function isAlive(holder: Holder, now: number): Promise<boolean> {
  if (!isTaken(holder.pid)) {
    return false;
  }
  const born = await birthOf(holder.pid);
  if (born !== null && holder.born !== null) {
    return born === holder.born;
  }
  if (holder.pid === process.pid) {
    return false;
  }
  return holder.port === null
    ? holder.startedAt >= now - uptime() * 1_000 - BOOT_TOLERANCE_MS
    : await isGatehouse(holder.port);
}

function isTaken(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, 'EPERM');
  }
}

function readHolding(text: string): Holder | null {
  return Holder.safeParse(parseJson(text)).data ?? null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Half-written: the schema refuses it and the caller looks again.
    return undefined;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
