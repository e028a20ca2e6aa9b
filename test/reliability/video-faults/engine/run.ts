import type { RunOptions } from './run-options.ts';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

import { type EngineCommand, EngineMessage } from '../messages.ts';
import { type Entry, type Plan, PLAN_VARIABLE } from '../plan.ts';
import { type Rival, type RivalEnd, startRival } from './rival.ts';

/** Result of a run. */
export interface RunResult {
  /** `stuck`: no job changed for a long time, although some were not at rest. */
  readonly how: 'killed' | 'closed' | 'stuck' | 'failed';
  readonly entries: readonly Entry[];
  /** Its standard error output. */
  readonly errorOutput: string;
  /** Result of the second engine; `null` without one. */
  readonly rival: RivalEnd | null;
}

/** Maximum time without a change of any job. */
const STUCK_MS = 60_000;

/** Starts the engine and resolves when it has ended, by itself or not. */
export async function runEngine(options: RunOptions): Promise<RunResult> {
  const journal = `${options.start.dataDir}.journal`;
  const child = startEngine(options, { journal, faults: options.faults, downMs: options.downMs });
  const ended = once(child, 'close');
  let errorOutput = '';
  let stuck = false;
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errorOutput += text));
  const timeout = setTimeout(() => {
    stuck = true;
    child.kill('SIGKILL');
  }, STUCK_MS);
  const say = (order: EngineCommand) => {
    if (child.connected) child.send(order, () => {});
  };
  let killing: NodeJS.Timeout | undefined;
  let states = '';
  const rivals: Rival[] = [];
  child.on('message', (message) => {
    const event = EngineMessage.parse(message);
    const now = 'jobs' in event ? event.jobs.map(({ state }) => state).join() : states;
    if (now !== states) timeout.refresh();
    states = now;
    if (event.kind === 'open' && options.killAfterMs !== null) {
      killing = setTimeout(() => child.kill('SIGKILL'), options.killAfterMs);
    }
    if (event.kind === 'open' && options.withRival) {
      rivals.push(startRival(options, () => say({ kind: 'ping' })));
    }
    if (event.kind === 'pong') rivals[0]?.lives();
    options.onMessage(event, say);
  });
  const [code, signal]: unknown[] = await ended;
  clearTimeout(timeout);
  clearTimeout(killing);
  const how = stuck ? 'stuck' : signal === 'SIGKILL' ? 'killed' : code === 0 ? 'closed' : 'failed';
  const entries = await readJournal(journal);
  return { how, entries, errorOutput, rival: (await rivals[0]?.end()) ?? null };
}

function startEngine({ bundle, start }: RunOptions, plan: Plan): ChildProcess {
  return fork(bundle.engine, [JSON.stringify(start)], {
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
