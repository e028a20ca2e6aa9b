import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import {
  type Gateway,
  openGateway,
  openRepositories,
  type Repositories,
} from '../../../gateway/gateway.ts';
import type { Host, SecretRead } from '../../../gateway/host.ts';
import { openKeys } from '../../../gateway/keys/keys.ts';
import type { VideoTiming } from '../../../gateway/videos/videos.ts';

/** A data folder, the clock and the keychain of its machine, and its service. */
export interface EngineSetup extends AsyncDisposable {
  readonly dataDir: string;
  readonly baseUrl: string;
  /** Milliseconds that the clock of the machine is ahead. */
  ahead: number;
  /** Milliseconds added to the uptime of the machine. */
  elapsed: number;
  /** Boot id of the machine. */
  bootId: string;
  /** The content of the keychain. */
  key: SecretRead;
  readonly logged: readonly string[];
  /** Starts a Gatehouse in this folder. */
  start(pace?: Partial<VideoTiming>): Promise<Engine>;
  /** Opens the data folder without starting the queue. */
  openRepositories(): Promise<Repositories & AsyncDisposable>;
}

/** One run of Gatehouse. */
export interface Engine extends AsyncDisposable {
  readonly repositories: Repositories;
  readonly gateway: Gateway;
  /** Stops Gatehouse; waits up to `drainMs` for orders that are being sent. */
  stop(drainMs?: number): Promise<void>;
}

const NONE = { state: 'unavailable', reason: 'There is no keychain here.' } as const;

export async function createEngineSetup(service: {
  url: string;
  key: string;
}): Promise<EngineSetup> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-place-'));
  const logged: string[] = [];
  const setup: EngineSetup = {
    dataDir,
    baseUrl: service.url,
    ahead: 0,
    elapsed: 0,
    bootId: 'first',
    key: { state: 'found', secret: service.key },
    logged,
    start: (pace = {}) => startAt(setup, host, pace),
    openRepositories: async () => {
      const repositories = await openRepositories({ host });
      return { ...repositories, [Symbol.asyncDispose]: () => repositories.close() };
    },
    [Symbol.asyncDispose]: () => rm(dataDir, { recursive: true, force: true }),
  };
  const host: Host = {
    dataDir,
    secrets: {
      read: () => Promise.resolve(setup.key),
      write: () => Promise.resolve(NONE),
      remove: () => Promise.resolve(NONE),
    },
    log: (level, message, fields) => logged.push(`${level} ${message} ${JSON.stringify(fields)}`),
    now: () => Date.now() + setup.ahead,
    uptime: () => uptime() * 1000 + setup.elapsed,
    get bootId() {
      return setup.bootId;
    },
    randomBytes: (size) => randomBytes(size),
  };
  return setup;
}

async function startAt(
  setup: EngineSetup,
  host: Host,
  pace: Partial<VideoTiming>,
): Promise<Engine> {
  const repositories = await openRepositories({ host });
  await repositories.upstreams.addAndActivate({ baseUrl: setup.baseUrl });
  const gateway = await openGateway({
    repositories,
    platform: {
      openServiceKey: (account) => openKeys({ secrets: host.secrets, account, log: host.log }),
      openSandbox: () => Promise.reject(new Error('There is no sandbox here.')),
    },
    version: 'test',
    port: 0,
    allowedOrigins: [],
    limits: { videos: pace },
  });
  let stopped = false;
  const stop = async (drainMs = 0) => {
    if (stopped) return;
    stopped = true;
    await gateway.close(drainMs);
    await repositories.close();
  };
  return { repositories, gateway, stop, [Symbol.asyncDispose]: () => stop() };
}
