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
import { Refused } from '../gateway/refused.ts';
import { type GuardedHost, openHost } from '../hosting/host.ts';
import { openKeptKey } from '../hosting/kept-key.ts';
import { openLentSandbox } from '../hosting/lent-sandbox.ts';
import { type Holder, type Lock, takeLock } from '../hosting/lock.ts';
import { describePortHolder, nextFreePort } from '../hosting/port.ts';
import type { EnginePlan, Opening } from './engine-contract.ts';
import type { NativeContract } from './native-contract.ts';
import { openOffers } from './offers.ts';

/** What the main process does for the engine. */
export type Native = ContractRouterClient<NativeContract>;

/** What runs, from its opening to its closing. */
interface Running {
  readonly gateway: Gateway;
  readonly window: ApiContext;
  /** What is closed after the gateway, the latest first. */
  readonly rest: AsyncDisposableStack;
}

/** One gateway in this process, opened and closed by the main process. */
export class EngineRun {
  #running: Running | null = null;
  #ending: Promise<void> | null = null;

  /** What the calls of a window work with; `null` while nothing runs. */
  get window(): ApiContext | null {
    return this.#running?.window ?? null;
  }

  /** Opens the gateway, or says why it cannot. What was refused leaves nothing behind and may be tried again. */
  async open(plan: EnginePlan, native: Native): Promise<Opening> {
    await using opened = new AsyncDisposableStack();
    try {
      const lock = await takeLock(plan.dataDir, Date.now, 'desktop');
      if (!('release' in lock)) return { state: 'held', sentence: heldBy(lock) };
      opened.defer(() => lock.release());
      const host = hostFor(plan, native);
      const rooms = await openRooms({ host });
      opened.defer(async () => await rooms.close());
      const gateway = await openOn(plan, { host, rooms, native, lock });
      await lock.announce({ port: gateway.port });
      const { store } = rooms;
      const media = openOffers(native, host.randomBytes);
      const window = { gateway, store, host, windowPort: null, media };
      this.#running = { gateway, window, rest: opened.move() };
      return { state: 'running', port: gateway.port };
    } catch (error) {
      return await explain(error);
    }
  }

  /** Ends what runs. Who closes a second time, in a hurry, waits for the end of the first. */
  async close(drainMs: number): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    await running.gateway.close(drainMs);
    this.#ending ??= running.rest.disposeAsync();
    await this.#ending;
  }
}

function hostFor({ dataDir }: EnginePlan, native: Native): GuardedHost {
  return openHost({
    dataDir,
    secrets: {
      read: (account) => native.secrets.read({ account }),
      write: (account, secret) => native.secrets.write({ account, secret }),
      remove: (account) => native.secrets.remove({ account }),
    },
    command: 'gatehouse',
    logLevel: 'info',
    // The main process keeps it in a file.
    writeLog: (line) => void process.stderr.write(`${line}\n`),
    now: Date.now,
  });
}

interface Ground {
  readonly host: GuardedHost;
  readonly rooms: Rooms;
  readonly native: Native;
  readonly lock: Lock;
}

async function openOn(plan: EnginePlan, ground: Ground): Promise<Gateway> {
  const { rooms } = ground;
  const { version, port } = plan;
  return await openGateway({
    rooms,
    lender: lenderFor(port ?? rooms.settings.current().port, ground),
    version,
    ...(port === undefined
      ? {}
      : {
          port,
          pinned: {
            port: 'This run was told its port by GATEHOUSE_PORT, so it cannot be changed here.',
          },
        }),
    allowedOrigins: [],
  });
}

function lenderFor(port: number, { host, native, lock }: Ground): Lender {
  return {
    openServiceKey: (account) => openKeptKey(host, account),
    openSandbox: () => openLentSandbox(host, port),
    describePortHolder,
    reveal: async (path) => {
      const shown = await native.reveal({ path });
      if (!shown) throw new Refused(`The file is not there any more: ${path}`);
    },
    onPort: (now) => {
      lock.announce({ port: now }).catch((error: unknown) =>
        host.log('warn', 'Other commands were not told of the port.', {
          reason: String(error),
        }),
      );
    },
  };
}

function heldBy({ pid, port, runs }: Holder): string {
  if (runs === 'video') {
    return `A command that waits for its videos uses this data folder (pid ${pid}). Let it finish or stop it with Ctrl-C, no video is lost, and try again.`;
  }
  const where = port === null ? '' : ` at http://127.0.0.1:${port}`;
  return `Gatehouse already runs without its desktop window${where} (pid ${pid}). Stop it there and try again, or use its window in the browser: gatehouse open`;
}

async function explain(error: unknown): Promise<Opening> {
  if (error instanceof PortTaken) {
    const { port } = error;
    const sentence = `Port ${port} is used by ${await describePortHolder(port)}.`;
    return { state: 'port-taken', port, sentence, next: await nextFreePort(port) };
  }
  return { state: 'failed', sentence: error instanceof Error ? error.message : String(error) };
}
