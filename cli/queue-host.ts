import { openGateway, type Gateway } from '../gateway/gateway.ts';
import { createPlatformAdapter } from './platform.ts';
import { admitCommands } from '../host/lock/admit-commands.ts';
import { announceService } from '../host/lock/announce-service.ts';
import { acquireLock, type LockOwner, type Lock } from '../host/lock/instance-lock.ts';
import type { CommandRepositories } from './with-repositories.ts';
import { resolveService } from './service.ts';
import type { CommandContext } from './command-context.ts';

export interface QueueHostOptions {
  readonly context: CommandContext;
  readonly repositories: CommandRepositories;
  /** The version of Gatehouse. */
  readonly version: string;
}

/** Makes sure that the jobs of the data folder run while a command waits for them: in a running Gatehouse, or in this process. */
export class QueueHost {
  readonly #options: QueueHostOptions;
  #owner: LockOwner | null = null;
  #lock: Lock | null = null;
  #gateway: Gateway | null = null;
  #stopAnnouncing: (() => void) | null = null;

  constructor(options: QueueHostOptions) {
    this.#options = options;
  }

  /** The process that runs them, as of the latest check; `null`: this process. */
  get owner(): LockOwner | null {
    return this.#owner;
  }

  /** Whether the process that runs them is paused, so that nothing is ordered. */
  async isPaused(): Promise<boolean> {
    if (this.#gateway !== null) return (await this.#gateway.status()).paused;
    return this.#owner?.paused === true;
  }

  /** Checks again. When nobody runs them any more, this process does from now on. @throws the error that keeps the engine from starting */
  async ensureRunning(): Promise<void> {
    if (this.#gateway !== null) return;
    const { repositories } = this.#options;
    const lock = await acquireLock(repositories.host.dataDir, 'video');
    if (!('release' in lock)) {
      this.#owner = lock;
      return;
    }
    this.#owner = null;
    this.#lock = lock;
    await this.#startGateway(lock);
  }

  /** Waits up to `drainMs` for the response to an order that is being sent. The next process that runs the jobs continues them. */
  async close(drainMs: number): Promise<void> {
    this.#stopAnnouncing?.();
    await this.#gateway?.close(drainMs);
    this.release();
  }

  /** Ends immediately. */
  release(): void {
    this.#lock?.release();
  }

  async #startGateway(lock: Lock): Promise<void> {
    const { context, repositories, version } = this.#options;
    const service = await resolveService(context, repositories.upstreams, {});
    lock.update({ service: service?.baseUrl ?? 'sandbox' });
    const { host } = repositories;
    this.#gateway = await openGateway({
      repositories,
      platform: createPlatformAdapter(context, {
        host,
        service: service?.baseUrl ?? null,
        ports: { port: 0, windowPort: null },
        onPortChange: () => undefined,
      }),
      version,
      upstream: service === null ? 'sandbox' : { baseUrl: service.baseUrl },
      port: 0,
      pinned: { port: 'A command that waits for its videos uses any free port.' },
      allowedOrigins: [],
    });
    const { store } = repositories;
    admitCommands({ gateway: this.#gateway, store, host, windowPort: null }, lock);
    this.#stopAnnouncing = await announceService(this.#gateway, lock, host.log);
  }
}
