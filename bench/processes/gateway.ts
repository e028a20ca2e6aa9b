import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { z } from 'zod';
import {
  type Gateway,
  openGateway,
  openRepositories,
  type Repositories,
} from '../../gateway/gateway.ts';
import type { Host, SecretStore } from '../../gateway/host.ts';
import { type Keys, openKeys } from '../../gateway/keys/keys.ts';
import type { ClientId } from '../../shared/client.ts';
import { NO_PRICES } from '../../shared/money/price.ts';
import { MODEL, SERVICE_KEY } from '../data/exchange.ts';
import { quantile } from '../statistics.ts';
import { serveParent } from './serve-parent.ts';

// The gateway with its usual configuration: database on disk, history on, local keys checked, repair on.

interface Running {
  readonly repositories: Repositories;
  readonly keys: Keys;
  readonly gateway: Gateway;
  readonly dataDir: string;
}

const LOOP_RESOLUTION_MS = 10;
const loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
let running: Running | null = null;

const NO_KEYCHAIN: SecretStore = {
  read: () => Promise.resolve({ state: 'absent' }),
  write: () => Promise.resolve({ state: 'unavailable', reason: 'There is no keychain here.' }),
  remove: () => Promise.resolve({ state: 'unavailable', reason: 'There is no keychain here.' }),
};

const log: Host['log'] = (level, message, fields) => {
  if (level !== 'warn' && level !== 'error') return;
  process.stderr.write(`gateway: ${message} ${JSON.stringify(fields ?? {})}\n`);
};

const OpenInput = z.object({
  serviceUrl: z.string(),
  keepsBodies: z.boolean(),
  isLimited: z.boolean(),
});

async function open(input: unknown): Promise<{ port: number; localKey: string }> {
  const { serviceUrl, keepsBodies, isLimited } = OpenInput.parse(input);
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'));
  const host: Host = {
    dataDir,
    secrets: NO_KEYCHAIN,
    log,
    now: Date.now,
    uptime: () => uptime() * 1000,
    randomBytes,
  };
  const repositories = await openRepositories({ host });
  if (!keepsBodies) await repositories.settings.change({ keepBodiesDays: 0 });
  const keys = await openKeys({
    secrets: NO_KEYCHAIN,
    account: serviceUrl,
    log,
    thisRunKey: SERVICE_KEY,
  });
  const gateway = await openGateway({
    repositories,
    platform: {
      openServiceKey: () => Promise.resolve(keys),
      openSandbox: () => Promise.reject(new Error('There is a service.')),
    },
    version: 'bench',
    upstream: { baseUrl: serviceUrl },
    port: 0,
    allowedOrigins: [],
  });
  running = { repositories, keys, gateway, dataDir };
  const { key: localKey, client } = await repositories.clients.add('Bench');
  if (isLimited) await setLimits(repositories, client.id);
  loop.enable();
  return { port: gateway.port, localKey };
}

/** Sets a price of the model, and limits of each kind that are never reached. */
async function setLimits(repositories: Repositories, clientId: ClientId): Promise<void> {
  const prices = { ...NO_PRICES, input: 3_000_000, output: 15_000_000 };
  await repositories.prices.add([
    { service: null, model: MODEL, validFrom: 0, prices, tiers: [], origin: 'entered' },
  ]);
  const spendLimits = await repositories.openSpendLimits();
  const rest = { amount: 1e15, rolling: false };
  await spendLimits.set({ ...rest, clientId, measure: 'money', period: 'day' });
  await spendLimits.set({ ...rest, clientId, measure: 'requests', period: 'minute' });
  await spendLimits.set({ ...rest, clientId: null, measure: 'money', period: 'month' });
  await spendLimits.set({
    ...rest,
    clientId: null,
    measure: 'tokens',
    period: 'hour',
    rolling: true,
  });
}

/** Returns statistics of the gateway since its start. Times in milliseconds. */
async function readStats(): Promise<unknown> {
  if (running === null) throw new Error('The gateway is not open.');
  const { gateway, repositories } = running;
  await gateway.history.flush();
  const latest = await gateway.history.list({ limit: 10_000 });
  const overheads = latest.flatMap(({ overheadMs }) => overheadMs ?? []);
  const { count } = await repositories.store.db
    .selectFrom('exchange')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return {
    recorded: count,
    dropped: gateway.history.dropped,
    failed: latest.filter(({ status, endedBy }) => status !== 200 || endedBy !== 'service').length,
    overheadP50: quantile(overheads, 0.5),
    overheadP99: quantile(overheads, 0.99),
    bodies: await gateway.bodies.size(),
    loopDelayP99: Math.max(0, loop.percentile(99) / 1e6 - LOOP_RESOLUTION_MS),
  };
}

async function close(): Promise<void> {
  if (running === null) return;
  await running.gateway.close(0);
  running.keys.close();
  await running.repositories.close();
  await rm(running.dataDir, { recursive: true, force: true });
}

serveParent({ open, stats: readStats }, close);
