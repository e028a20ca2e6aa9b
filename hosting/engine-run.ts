import { setTimeout as pause } from 'node:timers/promises';
import type { ContractRouterClient } from '@orpc/contract';
import type { ApiContext } from '../gateway/api/api.ts';
import {
  type Gateway,
  type Lender,
  openGateway,
  openRooms,
  PortTaken,
  type Rooms,
} from '../gateway/gateway.ts';
import { redactor } from '../gateway/keys/keys.ts';
import { Refused } from '../gateway/refused.ts';
import { type GuardedHost, openHost } from './host.ts';
import { reasonOf } from './fault-reason.ts';
import { openKeptKey } from './kept-key.ts';
import { openLog } from './log.ts';
import { addToLogFile } from './log-file.ts';
import { openLentSandbox } from './lent-sandbox.ts';
import { announceService } from './announce-service.ts';
import { type Holder, type Lock, processOf, takeLock } from './lock.ts';
import { describePortHolder, nextFreePort } from './port.ts';
import type { EnginePlan, Opening } from './engine-contract.ts';
import type { NativeContract } from './native-contract.ts';

const TAKEOVER_MS = 10_000;

/** What the main process does for the engine. */
export type NativeCalls = ContractRouterClient<NativeContract>;

/** What runs, from its opening to its closing. */
interface Running {
  readonly window: ApiContext;
  /** What is closed after the gateway, the latest first. */
  readonly rest: AsyncDisposableStack;
}

/** One gateway in this process, opened once and closed once. */
export class EngineRun {
  readonly #logFile: string;
  #host: GuardedHost | null = null;
  #opening: Promise<Opening> | null = null;
  #running: Running | null = null;
  #ending: Promise<void> | null = null;

  /** `logFile`: the log that the main process keeps. */
  constructor(logFile: string) {
    this.#logFile = logFile;
  }

  /** What the calls of a window work with; `null` while nothing runs. */
  get window(): ApiContext | null {
    return this.#running?.window ?? null;
  }

  get gateway(): Gateway | null {
    return this.#running?.window.gateway ?? null;
  }

  /** Opens the gateway, or says why it cannot. What was refused leaves nothing behind. */
  async open(plan: EnginePlan, native: NativeCalls): Promise<Opening> {
    this.#opening ??= this.#open(plan, native).catch(explain);
    return await this.#opening;
  }

  /** Ends what runs. Who closes a second time, in a hurry, waits for the end of the first. */
  async close(drainMs: number): Promise<void> {
    await this.#opening;
    const running = this.#running;
    if (running === null) return;
    await running.window.gateway.close(drainMs);
    this.#ending ??= running.rest.disposeAsync();
    await this.#ending;
  }

  /** Writes a fault to the log, without the keys that it may hold, and at once: this process may end the moment after. */
  note(fault: unknown): void {
    const log = openLog({
      level: 'error',
      write: (line) => addToLogFile(this.#logFile, line),
      redact: redactor(() => this.#host?.serviceKeys() ?? []),
      now: Date.now,
    });
    log('error', 'The engine has a fault.', { reason: reasonOf(fault) });
  }

  async #open(plan: EnginePlan, native: NativeCalls): Promise<Opening> {
    await using opened = new AsyncDisposableStack();
    const lock = await lockFor(plan.dataDir);
    opened.defer(() => lock.release());
    const host = hostFor(plan, native);
    this.#host = host;
    const rooms = await openRooms({ host, serves: true });
    opened.defer(async () => await rooms.close());
    const gateway = await openOn(plan, { host, rooms, native, lock });
    const { port, reportKey } = gateway;
    lock.announce({ port, reportKey });
    opened.defer(await announceService(gateway, lock, host.log));
    const { store } = rooms;
    const media = native.offer;
    this.#running = {
      window: { gateway, store, host, windowPort: null, media },
      rest: opened.move(),
    };
    host.log('info', 'The engine runs.', { version: plan.version, pid: process.pid, port });
    return { state: 'running', port };
  }
}

/** Waits for the engine of an app that was killed: it ends within seconds. @throws Refused */
async function lockFor(dataDir: string): Promise<Lock> {
  const end = performance.now() + TAKEOVER_MS;
  for (;;) {
    const lock = await takeLock(dataDir, 'desktop');
    if ('release' in lock) return lock;
    if (lock.runs !== 'desktop' || performance.now() > end) throw new Refused(heldBy(lock));
    await pause(50);
  }
}

function hostFor({ dataDir }: EnginePlan, { secrets }: NativeCalls): GuardedHost {
  return openHost({
    dataDir,
    secrets: {
      read: secrets.read,
      write: (account, secret) => secrets.write({ account, secret }),
      remove: secrets.remove,
    },
    // Its window has all of that.
    command: null,
    logLevel: 'info',
    // The main process keeps it in a file.
    writeLog: (line) => void process.stderr.write(`${line}\n`),
    now: Date.now,
  });
}

interface Ground {
  readonly host: GuardedHost;
  readonly rooms: Rooms;
  readonly native: NativeCalls;
  readonly lock: Lock;
}

async function openOn(plan: EnginePlan, ground: Ground): Promise<Gateway> {
  const { rooms } = ground;
  const { version, portPinned, port = rooms.settings.current().port } = plan;
  return await openGateway({
    rooms,
    lender: lenderFor(port, ground),
    version,
    port,
    pinned: portPinned === undefined ? {} : { port: portPinned },
    allowedOrigins: [],
  });
}

function lenderFor(port: number, { host, native, lock }: Ground): Lender {
  const tell = async (now: number): Promise<void> => {
    lock.announce({ port: now });
    await native.moved(now);
  };
  return {
    // The window opens while a prompt waits for a person; a late answer counts all the same.
    openServiceKey: (account) => openKeptKey(host, account, { readMs: 1_000 }),
    openSandbox: () => openLentSandbox(host, { port, windowPort: null }),
    describePortHolder,
    reveal: async (path) => {
      const shown = await native.reveal(path);
      if (!shown) throw new Refused(`The file is not there any more: ${path}`);
    },
    proxyFor: native.proxyFor,
    onPort: (now) => {
      tell(now).catch((error: unknown) =>
        host.log('warn', 'Others were not told of the port.', { reason: String(error) }),
      );
    },
  };
}

function heldBy(holder: Holder): string {
  const { port, runs } = holder;
  const who = processOf(holder);
  if (runs === 'video') {
    return `A command that waits for its videos uses this data folder (${who}). Let it finish or stop it with Ctrl-C, no video is lost, and try again.`;
  }
  const where = port === null ? '' : ` at http://127.0.0.1:${port}`;
  return `Gatehouse already runs without its desktop window${where} (${who}). Stop it there and try again, or go on with its window in the browser.`;
}

async function explain(error: unknown): Promise<Opening> {
  if (error instanceof PortTaken) {
    const { port } = error;
    const sentence = `Port ${port} is used by ${await describePortHolder(port)}.`;
    return { state: 'refused', sentence, next: await nextFreePort(port) };
  }
  const sentence = error instanceof Error ? error.message : String(error);
  return { state: 'refused', sentence, next: null };
}
