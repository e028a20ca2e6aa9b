import { openGateway, type Gateway } from '../gateway/gateway.ts';
import { createPlatformAdapter } from './platform.ts';
import { acquireLock, type LockOwner, type Lock } from '../host/lock/instance-lock.ts';
import type { CommandRepositories } from './with-repositories.ts';
import { resolveService } from './service.ts';
import type { CommandContext } from './command-context.ts';

export interface QueueHostOptions {
  readonly context: CommandContext;
  readonly repositories: CommandRepositories;
  /** Of Gatehouse. */
  readonly version: string;
}

/** Sees to it that somebody runs the jobs of the data folder while a command waits for them: a Gatehouse that runs already, or this process. */
export class QueueHost {
  readonly #options: QueueHostOptions;
  #owner: LockOwner | null = null;
  #lock: Lock | null = null;
  #gateway: Gateway | null = null;

  constructor(options: QueueHostOptions) {
    this.#options = options;
  }

  /** Who else runs them, as of the latest look; `null`: this process. */
  get owner(): LockOwner | null {
    return this.#owner;
  }

  /** Looks again. When nobody runs them any more, this process does from now on. @throws what keeps a Gatehouse from starting */
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

  /** Gives an order that is on its way up to `drainMs` to be answered. Whoever runs the jobs next goes on with them. */
  async close(drainMs: number): Promise<void> {
    await this.#gateway?.close(drainMs);
    this.release();
  }

  /** For an end on the spot. */
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
    const { port, reportKey } = this.#gateway;
    lock.update({ port, reportKey });
  }
}
