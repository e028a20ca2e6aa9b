import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { LimitLog } from './limit-log.ts';
import type { FromGateway, GatewayReports, LimitAmount } from './messages.ts';

export interface RunOptions {
  readonly dataDir: string;
  readonly baseUrl: string;
  readonly serviceKey: string;
  /** What each limit per day allows in this run of the gateway beyond what was used before, and what those per run allow in all. */
  readonly steps: Readonly<Record<'day' | 'run', Readonly<Record<LimitAmount['measure'], number>>>>;
}

/** A gateway in a process of its own. */
export interface GatewayRun {
  readonly ready: Extract<FromGateway, { readonly kind: 'ready' }>;
  readonly limits: LimitLog;
  kill(): Promise<void>;
  /** Ends it in order; resolves with its reports. */
  finish(): Promise<GatewayReports>;
}

/** Starts a gateway; resolves when it serves. */
export async function startGateway(options: RunOptions): Promise<GatewayRun> {
  const { dataDir, baseUrl, serviceKey, steps } = options;
  const child = fork(
    join(import.meta.dirname, 'gateway-process.ts'),
    [dataDir, baseUrl, serviceKey, JSON.stringify(steps)],
    { execArgv: [], env: { ...process.env, TZ: 'UTC' } },
  );
  const exited = once(child, 'exit');
  const ready = await nextOf(child, 'ready', exited);
  const limits = new LimitLog(ready.amounts);
  child.on('message', (message: FromGateway) => {
    if (message.kind === 'admitted' || message.kind === 'settled') limits.add(message);
  });
  return {
    ready,
    limits,
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    finish: async () => {
      const finished = nextOf(child, 'finished', exited);
      child.send('finish');
      const { reports } = await finished;
      await exited;
      return reports;
    },
  };
}

async function nextOf<Kind extends FromGateway['kind']>(
  child: ChildProcess,
  kind: Kind,
  exited: Promise<unknown>,
): Promise<Extract<FromGateway, { readonly kind: Kind }>> {
  const { promise, resolve, reject } =
    Promise.withResolvers<Extract<FromGateway, { readonly kind: Kind }>>();
  child.on('message', (message: FromGateway) => {
    if (isOf(message, kind)) resolve(message);
  });
  void exited.then(() => reject(new Error(`The gateway ended before it was ${kind}.`)));
  return await promise;
}

function isOf<Kind extends FromGateway['kind']>(
  message: FromGateway,
  kind: Kind,
): message is Extract<FromGateway, { readonly kind: Kind }> {
  return message.kind === kind;
}
