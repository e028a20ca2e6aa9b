import type { Mutex } from 'async-mutex';
import { isDeepStrictEqual } from 'node:util';
import type { Log } from '../host.ts';
import type { ConnectionPool } from './connection-pool.ts';
import type { UpstreamSessions } from './upstream-sessions.ts';
import type { ServiceLimits } from '../service-limit/service-limits.ts';
import { UNKNOWN_SYSTEM_PROXY } from './system-proxy.ts';

export interface ConnectionRefresherOptions {
  readonly sessions: UpstreamSessions;
  readonly pool: ConnectionPool;
  readonly limits: ServiceLimits;
  /** Interval of checks of the system's proxy, in milliseconds. */
  readonly pollIntervalMs: number;
  readonly mutex: Mutex;
  readonly log: Log;
}

/** The automatic proxy configuration of a network can take a while to answer. */
const RETRY_INTERVAL_MS = 15_000;

/** Replaces connections after a sleep of the machine and when the system names another proxy. Exchanges in flight keep theirs. */
export class ConnectionRefresher {
  readonly #options: ConnectionRefresherOptions;
  #timer: NodeJS.Timeout | null = null;
  #latest: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: ConnectionRefresherOptions) {
    this.#options = options;
    this.#schedule();
  }

  /** Gives new connections to everything that begins from now on. Never rejects. */
  async reconnect(): Promise<void> {
    const { sessions, pool, limits } = this.#options;
    pool.retireAll();
    limits.resetCircuits();
    await this.#change(() => sessions.reconnect());
  }

  /** Does so for the upstreams for which the system names another proxy than before. Never rejects. */
  async checkSystemProxy(): Promise<void> {
    const { sessions, pool } = this.#options;
    await this.#change(async () => {
      await pool.refreshSystemProxy();
      await sessions.reconnectIfReplaced();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#latest;
  }

  /** Connections that cannot be replaced stay. */
  async #change(work: () => Promise<void>): Promise<void> {
    const { mutex, log } = this.#options;
    this.#latest = mutex
      .runExclusive(async () => {
        if (!this.#closed) await work();
      })
      .catch((error: unknown) =>
        log('warn', 'The connections to a service were not renewed.', { reason: String(error) }),
      )
      .finally(() => this.#schedule());
    await this.#latest;
  }

  #schedule(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#closed) return;
    const { sessions, pollIntervalMs } = this.#options;
    const isUnknown = isDeepStrictEqual(sessions.current.systemProxy, UNKNOWN_SYSTEM_PROXY);
    this.#timer = setTimeout(
      () => void this.checkSystemProxy(),
      isUnknown ? RETRY_INTERVAL_MS : pollIntervalMs,
    ).unref();
  }
}
