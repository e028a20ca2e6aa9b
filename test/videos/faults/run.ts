import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { Bundle } from './bundle.ts';
import { type Order, Told } from './messages.ts';
import { type Entry, type Fault, type Plan, PLAN_VARIABLE } from './plan.ts';

/** What one run of the engine needs. */
export interface RunOptions {
  readonly bundle: Bundle;
  readonly dataDir: string;
  readonly baseUrl: string;
  readonly key: string;
  /** A local key that an earlier run told; empty for a new one. */
  readonly localKey: string;
  readonly faults: readonly Fault[];
  readonly downMs: number;
  /** Kills it so long after it is open. */
  readonly killAfterMs: number | null;
  readonly hear: (told: Told, say: (order: Order) => void) => void;
}

/** How a run went. */
export interface Ended {
  /** `stuck`: it did not come to rest for a long time. */
  readonly how: 'killed' | 'closed' | 'stuck' | 'failed';
  readonly entries: readonly Entry[];
  /** What it wrote on standard error. */
  readonly said: string;
}

/** Without any job changing its state. */
const STUCK_MS = 60_000;

/** Starts the engine and resolves when it has ended, by itself or not. */
export async function runEngine(options: RunOptions): Promise<Ended> {
  const journal = `${options.dataDir}.journal`;
  const child = start(options, { journal, faults: options.faults, downMs: options.downMs });
  const ended = once(child, 'close');
  let said = '';
  let stuck = false;
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  const patience = setTimeout(() => {
    stuck = true;
    child.kill('SIGKILL');
  }, STUCK_MS);
  const say = (order: Order) => {
    if (child.connected) child.send(order, () => {});
  };
  let killing: NodeJS.Timeout | undefined;
  let states = '';
  child.on('message', (message) => {
    const told = Told.parse(message);
    const now = 'jobs' in told ? told.jobs.map(({ state }) => state).join() : states;
    if (now !== states) patience.refresh();
    states = now;
    if (told.kind === 'open' && options.killAfterMs !== null) {
      killing = setTimeout(() => child.kill('SIGKILL'), options.killAfterMs);
    }
    options.hear(told, say);
  });
  const [code, signal]: unknown[] = await ended;
  clearTimeout(patience);
  clearTimeout(killing);
  const how = stuck ? 'stuck' : signal === 'SIGKILL' ? 'killed' : code === 0 ? 'closed' : 'failed';
  return { how, entries: await readJournal(journal), said };
}

function start({ bundle, dataDir, baseUrl, key, localKey }: RunOptions, plan: Plan): ChildProcess {
  return fork(bundle.engine, [dataDir, baseUrl, key, localKey], {
    execArgv: ['--import', pathToFileURL(bundle.points).href],
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: bundle.compiled,
      [PLAN_VARIABLE]: JSON.stringify(plan),
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

async function readJournal(file: string): Promise<Entry[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  await rm(file, { force: true });
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Entry => JSON.parse(line));
}
