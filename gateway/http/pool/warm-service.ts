import type { Dispatcher } from 'undici';
import type { Connector } from './connector.ts';
import type { LimitedOptions } from '../send.ts';
import { MAX_IDLE_MS, ServicePool } from './service-pool.ts';
import { SpareConnection } from './spare-connection.ts';
import { SpareSchedule } from './spare-schedule.ts';

/** Delay before a spare replaces the last idle connection, which usually is idle again by then. */
const SETTLE_MS = 250;

/**
 * The connections to one service, with a spare one that is opened before it is needed. Without `prepare` there is no spare. No timer
 * runs any more 15 minutes after the latest request of a client.
 */
export class WarmService {
  readonly #pool: ServicePool;
  readonly #spare: SpareConnection;
  readonly #schedule = new SpareSchedule();
  #isPrepared = false;
  #onOpened: () => void = () => undefined;
  #timer: NodeJS.Timeout | null = null;
  /** When the timer is due. */
  #dueAt = 0;

  constructor({ origin, connect }: { readonly origin: string; readonly connect: Connector }) {
    this.#spare = new SpareConnection({
      origin,
      connect,
      maxMs: () => Math.min(MAX_IDLE_MS, this.#schedule.activeUntil - performance.now()),
      onOpened: () => this.#onOpened(),
      onTaken: () => this.#schedule.reset(),
      onFailed: (livedMs) => {
        this.#schedule.failed(livedMs, performance.now());
        this.#scheduleCheck(0);
      },
      onExpired: () => this.#scheduleCheck(0),
    });
    this.#pool = new ServicePool({
      origin,
      connect: this.#spare.connect,
      onRequest: (options) => this.#requested(options),
      onIdleClosed: () => this.#scheduleCheck(0),
    });
  }

  get dispatcher(): Dispatcher {
    return this.#pool;
  }

  /** Opens a connection unless one is idle, and keeps one ready while clients are active. `onOpened` is called whenever one has been opened. */
  prepare(onOpened: () => void): void {
    this.#isPrepared = true;
    this.#onOpened = onOpened;
    this.#schedule.active(performance.now());
    this.#schedule.reset();
    this.#scheduleCheck(0);
  }

  /** Closes connections without a request, because the network may have changed. */
  renew(): void {
    this.#spare.discard();
    this.#pool.closeIdle();
    this.#schedule.reset();
    this.#scheduleCheck(0);
  }

  /** Ends all connections at once. */
  async close(): Promise<void> {
    this.#isPrepared = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#spare.discard();
    await this.#pool.end();
  }

  #requested({ caller }: LimitedOptions): void {
    if (!this.#isPrepared) return;
    if (caller !== undefined && caller.client !== null) this.#schedule.active(performance.now());
    if (!this.#spare.exists && this.#pool.idleUntil === null) this.#scheduleCheck(SETTLE_MS);
  }

  /** Checks after a delay whether a spare is needed, or earlier when that is planned. */
  #scheduleCheck(ms: number): void {
    if (!this.#isPrepared) return;
    const dueAt = performance.now() + ms;
    if (this.#timer !== null && this.#dueAt <= dueAt) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => this.#check(), Math.ceil(ms)).unref();
  }

  #check(): void {
    this.#timer = null;
    if (this.#spare.exists) return;
    const now = performance.now();
    const openAt = this.#schedule.openAt(now, this.#pool.idleUntil);
    if (openAt === null) return;
    if (openAt <= now) this.#spare.open();
    else this.#scheduleCheck(openAt - now);
  }
}
