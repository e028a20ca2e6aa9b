import { isDeepStrictEqual } from 'node:util';
import type { Log } from '../host.ts';
import type { RunExclusive } from '../lib/mutex.ts';
import type { UpstreamSessions } from './upstream-sessions.ts';
import type { ServiceLimits } from './service-limits.ts';
import { UNKNOWN_SYSTEM_PROXY } from './system-proxy.ts';
import type { VideoConnectionPool } from './video-connection-pool.ts';

export interface ConnectionRefresherOptions {
  readonly sessions: UpstreamSessions;
  readonly videoConnections: VideoConnectionPool;
  readonly limits: ServiceLimits;
  /** Between two looks at what the system wants, in milliseconds. */
  readonly pollIntervalMs: number;
  readonly runExclusive: RunExclusive;
  readonly log: Log;
}

/** A script of a network may take its time to say which proxy it wants. */
const SOON_MS = 15_000;

/** Keeps the ways to the services as the system wants them. What is on its way stays where it is. */
export class ConnectionRefresher {
  readonly #options: ConnectionRefresherOptions;
  #timer: NodeJS.Timeout | null = null;
  #latest: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: ConnectionRefresherOptions) {
    this.#options = options;
    this.#schedule();
  }

  /** New connections for everything new. Never rejects. */
  async reconnect(): Promise<void> {
    const { sessions, videoConnections, limits } = this.#options;
    videoConnections.reconnect();
    limits.resetCircuits();
    await this.#change(() => sessions.reconnect());
  }

  /** The same where the system wants another proxy than before. Never rejects. */
  async checkSystemProxy(): Promise<void> {
    const { sessions, videoConnections } = this.#options;
    await this.#change(async () => {
      await videoConnections.refreshSystemProxy();
      await sessions.refreshSystemProxy();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#latest;
  }

  /** A way that cannot be made anew stays. */
  async #change(work: () => Promise<void>): Promise<void> {
    const { runExclusive, log } = this.#options;
    this.#latest = runExclusive(async () => {
      if (!this.#closed) await work();
    })
      .catch((error: unknown) =>
        log('warn', 'The connections to a service stay as they are.', { reason: String(error) }),
      )
      .finally(() => this.#schedule());
    await this.#latest;
  }

  #schedule(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#closed) return;
    const { sessions, pollIntervalMs: lookMs } = this.#options;
    const unsaid = isDeepStrictEqual(sessions.current.systemProxy, UNKNOWN_SYSTEM_PROXY);
    this.#timer = setTimeout(() => void this.checkSystemProxy(), unsaid ? SOON_MS : lookMs).unref();
  }
}
