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

/** The response of Gatehouse to a probe. */
const Health = z.object({ service: z.literal('gatehouse') });
const EXEC_OPTIONS = { timeout: 3_000, windowsHide: true };

/** Finds the process that listens on this port of the local machine; `null` when the system does not tell. Never rejects. */
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
    // Best effort: the tool is missing, or the system does not tell about processes of other users.
    return null;
  }
}

/** Describes the owner: `node (pid 12)`, `another Gatehouse (pid 12)`, `this Gatehouse itself`, `another program`. Never rejects. */
export async function describePortOwner(port: number): Promise<string> {
  const holder = await findPortOwner(port);
  // The proxy, the window and the sandbox each have a port.
  if (holder?.pid === process.pid) return 'this Gatehouse itself';
  const name = (await isGatehouse(port))
    ? 'another Gatehouse'
    : (holder?.name ?? 'another program');
  return holder === null ? name : `${name} (pid ${holder.pid})`;
}

/** Describes the program that listens on a port as `describePortOwner` does; `null` when the port is free. Never rejects. */
export async function describeListener(port: number): Promise<string | null> {
  return (await isPortFree(port)) ? null : await describePortOwner(port);
}

/** Whether a Gatehouse answers on this port. Never rejects. */
async function isGatehouse(port: number): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(EXEC_OPTIONS.timeout);
    const answer = await fetch(`http://127.0.0.1:${port}/health`, { signal, redirect: 'manual' });
    return Health.safeParse(await answer.json()).success;
  } catch {
    // It does not speak HTTP or JSON, or does not answer, so it is something else.
    return false;
  }
}

/** Whether 127.0.0.1 and, on a machine that has it, ::1 can be bound to this port now. */
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
    // It is in use or not allowed, so it cannot be bound. A machine without ::1 needs only the other address.
    const code = error instanceof Error && 'code' in error ? error.code : null;
    return host === '::1' && (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT');
  } finally {
    server.close();
  }
}

/** Finds the first free port above this one, among the next 100; `null` when all are in use. */
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
      // For Node.js the process name is that of a thread and says nothing.
      return { pid: Number(pid), name: basename(await readlink(`/proc/${pid}/exe`)) };
    }
  }
  return null;
}

async function ownsSocket(pid: string, inodes: ReadonlySet<string>): Promise<boolean> {
  // Processes of other users cannot be read, and processes may end meanwhile.
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

/** Finds the inodes of the sockets that listen on a port in `/proc/net/tcp` and `tcp6` (state 0A). */
export function parseProcNet(table: string, port: number): ReadonlySet<string> {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  const rows = table.split('\n').map((line) => line.trim().split(/\s+/u));
  return new Set(
    rows.flatMap(([, local = '', , state, , , , , , inode]) =>
      local.endsWith(`:${hexPort}`) && state === '0A' && inode !== undefined ? [inode] : [],
    ),
  );
}

/** Finds the first process in the output of `lsof -Fpc`. */
export function parseLsof(output: string): PortOwner | null {
  const pid = /^p(\d+)$/mu.exec(output)?.[1];
  return pid === undefined
    ? null
    : { pid: Number(pid), name: /^c(.+)$/mu.exec(output)?.[1] ?? 'a program' };
}

/**
 * Finds the id of the process that listens on a port in the output of `netstat -ano`. Its words are translated, so rows are recognized
 * by their form.
 */
export function parseNetstat(output: string, port: number): number | null {
  for (const line of output.split('\n')) {
    const [, local = '', remote = '', , pid] = line.trim().split(/\s+/u);
    if (local.endsWith(`:${port}`) && remote.endsWith(':0') && /^\d+$/u.test(pid ?? '')) {
      return Number(pid);
    }
  }
  return null;
}
