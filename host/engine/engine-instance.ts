import { setTimeout as pause } from 'node:timers/promises';
import type { ContractRouterClient } from '@orpc/contract';
import type { ApiContext } from '../../gateway/api/api.ts';
import {
  type Gateway,
  type PlatformAdapter,
  openGateway,
  openRepositories,
  PortInUseError,
  type Repositories,
} from '../../gateway/gateway.ts';
import { createRedactor } from '../../gateway/keys/keys.ts';
import { UserError } from '../../gateway/errors.ts';
import { type RedactingHost, createHost } from '../host.ts';
import { describeFault } from '../log/describe-fault.ts';
import { openStoredKey } from '../keys/stored-key.ts';
import { createLog } from '../log/log.ts';
import { appendToLogFile } from '../log/log-file.ts';
import { readProgramVersion } from '../process/program-version.ts';
import { findUserPlace } from '../user-place.ts';
import { openEmbeddedSandbox } from '../embedded-sandbox.ts';
import { admitCommands } from '../lock/admit-commands.ts';
import { announceService } from '../lock/announce-service.ts';
import { type LockOwner, type Lock, describeProcess, acquireLock } from '../lock/instance-lock.ts';
import { describePortOwner, nextFreePort } from '../process/port-owner.ts';
import type { EngineOptions, StartResult } from './engine-contract.ts';
import type { NativeContract } from './native-contract.ts';

const TAKEOVER_TIMEOUT_MS = 10_000;

/** Services that the main process offers to the engine. */
export type NativeCalls = ContractRouterClient<NativeContract>;

/** Everything that runs between opening and closing. */
interface RunningEngine {
  readonly apiContext: ApiContext;
  /** Resources to close after the gateway, the latest first. */
  readonly resources: AsyncDisposableStack;
}

/** Opens one gateway in this process once and closes it once. */
export class EngineInstance {
  readonly #logFile: string;
  #host: RedactingHost | null = null;
  #startResult: Promise<StartResult> | null = null;
  #running: RunningEngine | null = null;
  #closing: Promise<void> | null = null;

  /** `logFile`: the log file that the main process writes. */
  constructor(logFile: string) {
    this.#logFile = logFile;
  }

  /** The context of a window's calls; `null` while nothing runs. */
  get window(): ApiContext | null {
    return this.#running?.apiContext ?? null;
  }

  get gateway(): Gateway | null {
    return this.#running?.apiContext.gateway ?? null;
  }

  /** Opens the gateway, or returns the reason why it cannot. A failed start leaves nothing open. */
  async open(options: EngineOptions, native: NativeCalls): Promise<StartResult> {
    this.#startResult ??= this.#open(options, native).catch(toStartFailure);
    return await this.#startResult;
  }

  /** Closes everything. A second, hurried call waits for the end of the first. */
  async close(drainMs: number): Promise<void> {
    await this.#startResult;
    const running = this.#running;
    if (running === null) return;
    await running.apiContext.gateway.close(drainMs);
    this.#closing ??= running.resources.disposeAsync();
    await this.#closing;
  }

  /** Writes a fault to the log, without any keys, and synchronously, because this process may end right after. */
  logFault(fault: unknown): void {
    const log = createLog({
      level: 'error',
      write: (line) => appendToLogFile(this.#logFile, line),
      redact: createRedactor(() => this.#host?.serviceKeys() ?? []),
      now: Date.now,
    });
    log('error', 'The engine has an error.', { reason: describeFault(fault) });
  }

  async #open(options: EngineOptions, native: NativeCalls): Promise<StartResult> {
    await using opened = new AsyncDisposableStack();
    const lock = await waitForLock(options.dataDir);
    opened.defer(() => lock.release());
    const host = createEngineHost(options, native);
    this.#host = host;
    const repositories = await openRepositories({ host, serves: true });
    opened.defer(async () => await repositories.close());
    const gateway = await startGateway(options, { host, repositories, native, lock });
    const { store } = repositories;
    const media = native.exposeFile;
    const apiContext = { gateway, store, host, windowPort: null, media };
    admitCommands(apiContext, lock);
    opened.defer(await announceService(gateway, lock, host.log));
    this.#running = { apiContext, resources: opened.move() };
    const { port } = gateway;
    host.log('info', 'The engine runs.', { version: options.version, pid: process.pid, port });
    gateway.prepare();
    return { state: 'running', port };
  }
}

/** Waits for the engine of an app that was killed, which ends within seconds. @throws UserError */
async function waitForLock(dataDir: string): Promise<Lock> {
  const end = performance.now() + TAKEOVER_TIMEOUT_MS;
  for (;;) {
    const lock = await acquireLock(dataDir, 'desktop');
    if ('release' in lock) return lock;
    if (lock.runs !== 'desktop' || performance.now() > end)
      throw new UserError(describeOwner(lock));
    await pause(50);
  }
}

function createEngineHost({ dataDir }: EngineOptions, { secrets }: NativeCalls): RedactingHost {
  return createHost({
    dataDir,
    secrets: {
      read: secrets.read,
      write: (account, secret) => secrets.write({ account, secret }),
      remove: secrets.remove,
    },
    // The window shows all of that.
    command: null,
    logLevel: 'info',
    // The main process stores it in a file.
    writeLog: (line) => void process.stderr.write(`${line}\n`),
    now: Date.now,
  });
}

interface GatewayParts {
  readonly host: RedactingHost;
  readonly repositories: Repositories;
  readonly native: NativeCalls;
  readonly lock: Lock;
}

async function startGateway(options: EngineOptions, parts: GatewayParts): Promise<Gateway> {
  const { repositories } = parts;
  const { version, portPinned, port = repositories.settings.current().port } = options;
  return await openGateway({
    repositories,
    platform: createPlatformAdapter(port, parts),
    version,
    port,
    pinned: portPinned === undefined ? {} : { port: portPinned },
    allowedOrigins: [],
    resumeHint: 'in the window of the Gatehouse app, under Home.',
  });
}

function createPlatformAdapter(
  port: number,
  { host, native, lock }: GatewayParts,
): PlatformAdapter {
  const report = async (now: number): Promise<void> => {
    lock.update({ port: now });
    await native.portChanged(now);
  };
  return {
    // The window opens while a keychain prompt waits for a person; a late answer still counts.
    openServiceKey: (account) => openStoredKey(host, account, { readMs: 1_000 }),
    openSandbox: () => openEmbeddedSandbox(host, { port, windowPort: null }),
    describePortOwner,
    reveal: async (path) => {
      const shown = await native.reveal(path);
      if (!shown) throw new UserError(`The file no longer exists: ${path}`);
    },
    proxyFor: native.proxyFor,
    readProgramVersion: async (path) => await readProgramVersion(path, process.env),
    place: findUserPlace(process.env),
    onPortChange: (now) => {
      report(now).catch((error: unknown) =>
        host.log('warn', 'The new port could not be announced.', { reason: String(error) }),
      );
    },
  };
}

function describeOwner(owner: LockOwner): string {
  const { port, runs } = owner;
  const ownerText = describeProcess(owner);
  if (runs === 'video') {
    return `A command that waits for its videos uses this data folder (${ownerText}). Let it finish or stop it with Ctrl-C, no video is lost, and try again.`;
  }
  const where = port === null ? '' : ` at http://127.0.0.1:${port}`;
  return `Gatehouse already runs without its desktop window${where} (${ownerText}). Stop it there and try again, or use its window in the browser.`;
}

async function toStartFailure(error: unknown): Promise<StartResult> {
  if (error instanceof PortInUseError) {
    const { port } = error;
    const sentence = `Port ${port} is used by ${await describePortOwner(port)}.`;
    return { state: 'refused', sentence, next: await nextFreePort(port) };
  }
  const sentence = error instanceof Error ? error.message : String(error);
  return { state: 'refused', sentence, next: null };
}
