import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename } from 'node:path';
import { z } from 'zod';
import { runProgram } from './child-process.ts';

/** A process that listens on a port. */
export interface PortOwner {
  readonly pid: number;
  readonly name: string;
}

/** What Gatehouse answers to a probe. */
const Health = z.object({ service: z.literal('gatehouse') });
const EXEC_OPTIONS = { timeout: 3_000, windowsHide: true };

/** Who listens on this port of the local machine, where the system tells; otherwise `null`. Never rejects. */
export async function findPortOwner(port: number): Promise<PortOwner | null> {
  try {
    if (process.platform === 'linux') {
      return await findOwnerOnLinux(port);
    }
    if (process.platform === 'win32') {
      return await findOwnerOnWindows(port);
    }
    const args = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'];
    return parseLsof(await runProgram({ program: 'lsof', args }, EXEC_OPTIONS));
  } catch {
    // Best effort: the tool is absent or the system does not tell us about other people's processes.
    return null;
  }
}

/** The holder in words: `node (pid 12)`, `another Gatehouse (pid 12)`, `this Gatehouse itself`, `another program`. Never rejects. */
export async function describePortOwner(port: number): Promise<string> {
  const holder = await findPortOwner(port);
  // Its proxy, its window and its sandbox each have a port.
  if (holder?.pid === process.pid) return 'this Gatehouse itself';
  const name = (await isGatehouse(port))
    ? 'another Gatehouse'
    : (holder?.name ?? 'another program');
  return holder === null ? name : `${name} (pid ${holder.pid})`;
}

/** Whether a Gatehouse answers at this port. Never rejects. */
async function isGatehouse(port: number): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(EXEC_OPTIONS.timeout);
    const answer = await fetch(`http://127.0.0.1:${port}/health`, { signal, redirect: 'manual' });
    return Health.safeParse(await answer.json()).success;
  } catch {
    // It speaks no HTTP, or no JSON, or not at all: something else.
    return false;
  }
}

/** Whether 127.0.0.1 and, on a machine that has it, ::1 at this port can be listened on now. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await canListen('127.0.0.1', port)) && (await canListen('::1', port));
}

async function canListen(host: '127.0.0.1' | '::1', port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return true;
  } catch (error) {
    // Taken or not allowed: either way it cannot be used. A machine without ::1 does without.
    const code = error instanceof Error && 'code' in error ? error.code : null;
    return host === '::1' && (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT');
  } finally {
    server.close();
  }
}

/** The first free port above this one, among the next 100; `null` when all are taken. */
export async function nextFreePort(port: number): Promise<number | null> {
  for (let next = port + 1; next <= Math.min(port + 100, 65_535); next += 1) {
    if (await isPortFree(next)) {
      return next;
    }
  }
  return null;
}

async function findOwnerOnLinux(port: number): Promise<PortOwner | null> {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map(
      async (file) => await readFile(file, 'utf8').catch(() => ''),
    ),
  );
  const inodes = parseProcNet(tables.join('\n'), port);
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name));
  for (const pid of pids) {
    if (await ownsSocket(pid, inodes)) {
      // Its own name would be that of a thread, which for Node.js says nothing.
      return { pid: Number(pid), name: basename(await readlink(`/proc/${pid}/exe`)) };
    }
  }
  return null;
}

async function ownsSocket(pid: string, inodes: ReadonlySet<string>): Promise<boolean> {
  // Other people's processes cannot be read; processes end while we look.
  const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
  for (const file of files) {
    const target = await readlink(`/proc/${pid}/fd/${file}`).catch(() => '');
    if (inodes.has(/^socket:\[(\d+)\]$/u.exec(target)?.[1] ?? '')) {
      return true;
    }
  }
  return false;
}

async function findOwnerOnWindows(port: number): Promise<PortOwner | null> {
  const netstat = { program: 'netstat', args: ['-ano', '-p', 'TCP'] };
  const pid = parseNetstat(await runProgram(netstat, EXEC_OPTIONS), port);
  if (pid === null) {
    return null;
  }
  const args = ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH'];
  const list = await runProgram({ program: 'tasklist', args }, EXEC_OPTIONS);
  return { pid, name: /^"([^"]+)"/u.exec(list.trim())?.[1] ?? 'a program' };
}

/** The inodes of the sockets that listen on a port, from `/proc/net/tcp` and `tcp6` (state 0A). */
export function parseProcNet(table: string, port: number): ReadonlySet<string> {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  const rows = table.split('\n').map((line) => line.trim().split(/\s+/u));
  return new Set(
    rows.flatMap(([, local = '', , state, , , , , , inode]) =>
      local.endsWith(`:${wanted}`) && state === '0A' && inode !== undefined ? [inode] : [],
    ),
  );
}

/** The first process in the output of `lsof -Fpc`. */
export function parseLsof(output: string): PortOwner | null {
  const pid = /^p(\d+)$/mu.exec(output)?.[1];
  return pid === undefined
    ? null
    : { pid: Number(pid), name: /^c(.+)$/mu.exec(output)?.[1] ?? 'a program' };
}

/** The process id that listens on a port, from `netstat -ano`. Its words are translated, so the form of a row decides. */
export function parseNetstat(output: string, port: number): number | null {
  for (const line of output.split('\n')) {
    const [, local = '', remote = '', , pid] = line.trim().split(/\s+/u);
    if (local.endsWith(`:${port}`) && remote.endsWith(':0') && /^\d+$/u.test(pid ?? '')) {
      return Number(pid);
    }
  }
  return null;
}
