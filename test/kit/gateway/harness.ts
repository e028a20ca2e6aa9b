import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import type { ExchangeRecord } from '../../../shared/exchange/exchange.ts';
import type { EffectiveSettings } from '../../../shared/settings.ts';
import {
  type Gateway,
  openGateway,
  openRepositories,
  type Repositories,
  type SystemProxy,
} from '../../../gateway/gateway.ts';
import type { Host, SecretStore } from '../../../gateway/host.ts';
import { type Keys, openKeys } from '../../../gateway/keys/keys.ts';
import { installPrograms } from './user-home.ts';
import { openSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/server.ts';

/** A gateway with a sandbox behind it, on free ports, in its own temporary folder. */
export interface Harness extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:PORT`, without `/v1`. */
  readonly url: string;
  readonly sandbox: Sandbox;
  readonly gateway: Gateway;
  readonly repositories: Repositories;
  readonly keys: Keys;
  readonly dataDir: string;
  /** The home folder of the person, whose PATH has the programs `claude` and `codex`. */
  readonly home: string;
  /** A local key of the client "Test". */
  readonly localKey: string;
  /** Lines of the application log. */
  readonly logged: readonly string[];
  /** Returns the exchanges recorded so far, newest first. */
  records(): Promise<ExchangeRecord[]>;
  /** Waits until at least `count` exchanges are recorded. */
  recorded(count: number): Promise<ExchangeRecord[]>;
  /** Waits for the record of one exchange; `id` as in the header `x-gatehouse-exchange`. */
  recordOf(id: string | null | undefined): Promise<ExchangeRecord>;
}

export interface HarnessOptions {
  readonly strict?: boolean;
  readonly allowedOrigins?: readonly string[];
  readonly limits?: Parameters<typeof openGateway>[0]['limits'];
  readonly sandbox?: SandboxOptions;
  /** A service other than the sandbox; with `null` the gateway starts with its built-in sandbox, which is this one. */
  readonly baseUrl?: string | null;
  /** Service key of this run. */
  readonly serviceKey?: string | null;
  readonly pinned?: EffectiveSettings['pinned'];
  /** `null` uses the port of the settings; the default is any free port. */
  readonly port?: number | null;
  /** The default is no keychain. */
  readonly secrets?: SecretStore;
  /** The proxy settings of the system; none by default. */
  readonly proxyFor?: (url: string) => Promise<SystemProxy>;
  /** See `Host.command`. */
  readonly command?: string | null;
  /** Returns Unix time in milliseconds; the default is the clock of this machine. */
  readonly now?: () => number;
  /** See `Host.uptime`; the default is that of this machine. */
  readonly uptime?: () => number;
}

/** A keychain of a system that has none. */
const NO_KEYCHAIN: SecretStore = {
  read: () => Promise.resolve({ state: 'absent' }),
  write: () => Promise.resolve({ state: 'unavailable', reason: 'There is no keychain here.' }),
  remove: () => Promise.resolve({ state: 'unavailable', reason: 'There is no keychain here.' }),
};

/** Starts a harness. `await using` closes the gateway, then the sandbox, and removes the folder. */
export async function startHarness(options: HarnessOptions = {}): Promise<Harness> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-test-'));
  const home = await mkdtemp(join(tmpdir(), 'gatehouse-home-'));
  const sandbox = await openSandbox(options.sandbox);
  const logged: string[] = [];
  const host = createHost(options, dataDir, (line) => logged.push(line));
  const repositories = await openRepositories({ host });
  const baseUrl = options.baseUrl ?? sandbox.url;
  if (options.baseUrl !== null) await repositories.upstreams.addAndActivate({ baseUrl });
  const serviceKey = options.serviceKey === undefined ? sandbox.key : options.serviceKey;
  const keys = await openKeys({
    secrets: options.secrets ?? NO_KEYCHAIN,
    account: baseUrl,
    log: host.log,
    ...(serviceKey === null ? {} : { thisRunKey: serviceKey }),
  });
  const gateway = await openHarnessGateway({
    options,
    repositories,
    sandbox,
    keys,
    baseUrl,
    home,
  });
  const { key: localKey } = await repositories.clients.add('Test');
  const records = async (): Promise<ExchangeRecord[]> => {
    await gateway.history.flush();
    return await gateway.history.list({ limit: 10_000 });
  };
  return {
    get port() {
      return gateway.port;
    },
    get url() {
      return `http://127.0.0.1:${gateway.port}`;
    },
    sandbox,
    gateway,
    repositories,
    keys,
    dataDir,
    home,
    localKey,
    logged,
    records,
    recorded: (count) =>
      whenRecorded(gateway, records, (present) => (present.length >= count ? present : undefined)),
    recordOf: (id) =>
      whenRecorded(gateway, records, (present) => present.find((record) => record.id === id)),
    [Symbol.asyncDispose]: async () => {
      await gateway.close(0);
      keys.close();
      await repositories.close();
      await sandbox.close();
      await rm(dataDir, { recursive: true, force: true });
      await rm(home, { recursive: true, force: true });
    },
  };
}

function createHost(options: HarnessOptions, dataDir: string, onLog: (line: string) => void): Host {
  return {
    dataDir,
    secrets: options.secrets ?? NO_KEYCHAIN,
    log: (level, message) => onLog(`${level} ${message}`),
    now: options.now ?? (() => Date.now()),
    uptime: options.uptime ?? (() => uptime() * 1000),
    randomBytes: (size) => randomBytes(size),
    ...(options.command === undefined ? {} : { command: options.command }),
  };
}

interface Opening {
  readonly options: HarnessOptions;
  readonly repositories: Repositories;
  readonly sandbox: Sandbox;
  readonly keys: Keys;
  readonly baseUrl: string;
  readonly home: string;
}

async function openHarnessGateway(opening: Opening): Promise<Gateway> {
  const { options, repositories, sandbox, keys, baseUrl, home } = opening;
  const { port = 0, strict = false, allowedOrigins = [], limits, pinned } = options;
  const { log } = repositories.host;
  const secrets = options.secrets ?? NO_KEYCHAIN;
  const PATH = await installPrograms(home, ['claude', 'codex']);
  return await openGateway({
    repositories,
    platform: {
      openServiceKey: async (account) =>
        account === baseUrl ? keys : await openKeys({ secrets, account, log }),
      place: { home, environment: { PATH }, platform: process.platform },
      openSandbox: async () => (options.baseUrl === null ? sandbox : await openSandbox()),
      ...(options.proxyFor === undefined ? {} : { proxyFor: options.proxyFor }),
    },
    version: 'test',
    ...(port === null ? {} : { port }),
    strict,
    allowedOrigins,
    ...(pinned === undefined ? {} : { pinned }),
    ...(limits === undefined ? {} : { limits }),
  });
}

async function whenRecorded<Found>(
  gateway: Gateway,
  records: () => Promise<ExchangeRecord[]>,
  look: (present: ExchangeRecord[]) => Found | undefined,
): Promise<Found> {
  for (;;) {
    const { promise: written, resolve } = Promise.withResolvers<void>();
    const stop = gateway.history.on(() => resolve());
    const found = look(await records());
    if (found !== undefined) {
      stop();
      return found;
    }
    await written;
    stop();
  }
}
