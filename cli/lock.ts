import { rmSync } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';

const Holder = z.object({
  pid: z.number().int().positive(),
  /** `null` while it is starting. */
  port: z.number().int().nullable(),
  /** Unix time in milliseconds. */
  startedAt: z.number(),
});
/** The process that serves a data folder. */
export type Holder = z.infer<typeof Holder>;

export interface Lock {
  /** Tells other processes where this one can be reached. */
  announce(port: number): Promise<void>;
  release(): void;
}

/** The clock may be set between a start and now, so only a clearly older lock counts as one from before the machine started. */
const BOOT_TOLERANCE_MS = 60_000;
/** Taking over a dead process's lock takes a moment; a takeover older than this died itself. */
const TAKEOVER_MS = 10_000;

/** Takes the one lock of a data folder, or says who has it. The lock of a process that died is taken over. */
export async function takeLock(dataDir: string, now: () => number): Promise<Lock | Holder> {
  const file = join(dataDir, 'serving.json');
  const own: Holder = { pid: process.pid, port: null, startedAt: now() };
  while (!(await create(file, own))) {
    const holder = await readHolder(dataDir, now);
    if (holder !== null) {
      return holder;
    }
    await removeDead(dataDir, now);
  }
  return {
    async announce(port) {
      await replace(file, { ...own, port });
    },
    release() {
      rmSync(file, { force: true });
    },
  };
}

/** The living process that serves this data folder; `null` when there is none. */
export async function readHolder(dataDir: string, now: () => number): Promise<Holder | null> {
  const found = await look(dataDir, now);
  return typeof found === 'string' ? null : found;
}

async function look(dataDir: string, now: () => number): Promise<Holder | 'absent' | 'dead'> {
  const file = join(dataDir, 'serving.json');
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const text = await readFile(file, 'utf8').catch(() => null);
    if (text === null) {
      return 'absent';
    }
    const holder = Holder.safeParse(parseJson(text));
    if (holder.success) {
      return isAlive(holder.data, now()) ? holder.data : 'dead';
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
    throw error;
  }
}

async function replace(file: string, holder: Holder): Promise<void> {
  const fresh = `${file}.${process.pid}`;
  await writeFile(fresh, JSON.stringify(holder), { mode: 0o600 });
  await rename(fresh, file);
}

/** Of several processes that find a dead lock only one may remove it: a second one would remove the lock of the first. */
async function removeDead(dataDir: string, now: () => number): Promise<void> {
  const takeover = join(dataDir, 'serving.takeover');
  if (await create(takeover, { pid: process.pid, port: null, startedAt: now() })) {
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
  const since = await stat(takeover).catch(() => null);
  if (since !== null && now() - since.mtimeMs > TAKEOVER_MS) {
    await rm(takeover, { force: true });
  }
  await pause(25);
}

/** Process ids are used again: after a restart of the machine, and in containers where every start has the same one. */
function isAlive({ pid, startedAt }: Holder, now: number): boolean {
  if (pid === process.pid || startedAt < now - uptime() * 1_000 - BOOT_TOLERANCE_MS) {
    return false;
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, 'EPERM');
  }
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
