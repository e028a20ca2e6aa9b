import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import type { Target } from './target.ts';
import { SERVICE_KEY } from './data/exchange.ts';
import { countWakeUps, readMemory } from './process-figures.ts';

const LOCAL_KEY = 'gh-bench-2b7e151628aed2a6abf7';
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BUILT = fileURLToPath(new URL('../out/cli/main.js', import.meta.url));
const SOURCE = fileURLToPath(new URL('../cli/main.ts', import.meta.url));

/** A process of `gatehouse serve` with its own data folder. Disposing it ends the process and removes the folder. */
export interface CommandProcess extends AsyncDisposable {
  readonly target: Target;
  /** A login link to the window, for one browser. */
  readonly link: string;
  /** Returns the peak memory until now in bytes; `null` where the system does not report it. */
  peakMemory(): Promise<number | null>;
  /** Returns the present memory in bytes; `null` where the system does not report it. */
  memory(): Promise<number | null>;
  /** Returns how often its threads were woken until now; `null` where the system does not report it. */
  wakeUps(): Promise<number | null>;
  /** Ends the process and counts the exchanges in its history that succeeded. */
  stopAndCount(): Promise<number>;
}

/** The command to run: the built one if there is one. */
export function commandKind(): 'built' | 'from source' {
  return existsSync(BUILT) ? 'built' : 'from source';
}

/** Starts the command for a service and waits until it prints its address. `seed` fills its data folder before. */
export async function startCommand(
  serviceUrl: string,
  seed?: (folder: string) => Promise<void>,
): Promise<CommandProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-command-'));
  await seed?.(folder);
  const program = commandKind() === 'built' ? BUILT : SOURCE;
  const args = [
    'serve',
    '--port',
    '0',
    '--ui-port',
    '0',
    '--upstream',
    serviceUrl,
    '--data',
    folder,
  ];
  const keys = { GATEHOUSE_UPSTREAM_KEY: SERVICE_KEY, GATEHOUSE_LOCAL_KEY: LOCAL_KEY };
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...keys },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid = 0 } = child;
  const ended = once(child, 'exit');
  const stopWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', stopWithUs);
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    process.off('exit', stopWithUs);
  };
  const { url, link } = await readAddresses(child);
  return {
    target: { name: 'gateway', url, key: LOCAL_KEY },
    link,
    peakMemory: async () => await readMemory(pid, 'VmHWM'),
    memory: async () => await readMemory(pid, 'VmRSS'),
    wakeUps: async () => await countWakeUps(pid),
    stopAndCount: async () => {
      await stop();
      return countSuccesses(join(folder, 'gatehouse.db'));
    },
    [Symbol.asyncDispose]: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Starts the program as `npm start` does, without the app, and resolves to the milliseconds until it has printed its addresses. */
export async function timeNpmStart(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-start-'));
  const settings = { GATEHOUSE_DATA_DIR: folder, GATEHOUSE_PORT: '0', GATEHOUSE_UI_PORT: '0' };
  const startedAt = performance.now();
  const child = spawn('npm', ['start', '--', '--headless'], {
    cwd: ROOT,
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    // npm starts a shell, which starts the program; they are ended as one process group.
    detached: true,
  });
  const ended = once(child, 'close');
  const stopWithUs = (): void => void process.kill(-(child.pid ?? 0), 'SIGKILL');
  process.once('exit', stopWithUs);
  try {
    await readAddresses(child);
    return performance.now() - startedAt;
  } finally {
    process.off('exit', stopWithUs);
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
}

/** Parses the output of the command: the login link, then the local address, which ends with `/v1`. Rejects when the command ends without one. */
function readAddresses(child: ChildProcess): Promise<{ url: string; link: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ url: string; link: string }>();
  let printed = '';
  const read = (text: string): void => {
    printed += text;
    const url = /(http:\/\/127\.0\.0\.1:\d+)\/v1$/m.exec(printed)?.[1];
    const link = /http:\/\/127\.0\.0\.1:\d+\/#[\w-]+/.exec(printed)?.[0];
    if (url !== undefined && link !== undefined) resolve({ url, link });
  };
  child.stdout?.setEncoding('utf8').on('data', read);
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (printed += text));
  child.once('close', (code) => reject(new Error(`The command ended with ${code}: ${printed}`)));
  return promise;
}

function countSuccesses(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  const good = `select count(*) as count from exchange where status = 200 and ended_by = 'service'`;
  const count = Number(database.prepare(good).get()?.['count']);
  database.close();
  return count;
}
