import { Client, Dispatcher, errors } from '../../lib/undici.ts';
import type { Connector } from './connector.ts';
import { IdleLimit } from './idle-limit.ts';

/** Longest idle time of a connection, in milliseconds, if the service does not name or show another one. */
export const MAX_IDLE_MS = 10 * 60_000;
/** Distance from the idle time that a service names in `Keep-Alive`, in milliseconds. */
const KEEP_ALIVE_MARGIN_MS = 1_000;

export interface ServicePoolOptions {
  readonly origin: string;
  readonly connect: Connector;
  /** Is called with every request, after it has got its connection. */
  readonly onRequest: (options: Dispatcher.DispatchOptions) => void;
  /** Is called when an idle connection was closed, by whichever side. */
  readonly onIdleClosed: () => void;
}

/** A connection, or one that is being made. */
interface Connection {
  readonly client: Client;
  /** When it became idle, in milliseconds of a monotonic clock; `null` while it has a request. */
  idleSince: number | null;
  /** Whether its end tells how long the service keeps idle connections. */
  isTelling: boolean;
}

interface WaitingRequest {
  readonly options: Dispatcher.DispatchOptions;
  readonly handler: Dispatcher.DispatchHandler;
}

/**
 * Sends each request on a connection of its own, at first on the one that became idle last, so that connections beyond the usual number
 * get old and are closed. Idle connections stay open as long as the service lets them: by its `Keep-Alive`, by the idle times after
 * which it closed others, and otherwise for ten minutes. A connection with a request is never closed.
 */
export class ServicePool extends Dispatcher {
  readonly #options: ServicePoolOptions;
  readonly #idleLimit = new IdleLimit();
  readonly #connections = new Set<Connection>();
  /** The idle ones, the longest idle first. */
  readonly #idle: Connection[] = [];
  /** Requests that are sent after the present events. */
  readonly #waiting: WaitingRequest[] = [];
  #timer: NodeJS.Timeout | null = null;
  #hasEnded = false;

  constructor(options: ServicePoolOptions) {
    super();
    this.#options = options;
  }

  /** When the last idle connection will be closed, if no request needs it; `null` when there is none. */
  get idleUntil(): number | null {
    const since = this.#idle.at(-1)?.idleSince ?? null;
    return since === null ? null : since + this.#idleMs(performance.now());
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    if (this.#hasEnded) {
      fail(handler, new errors.ClientDestroyedError());
      return true;
    }
    const connection = this.#idle.pop();
    if (connection !== undefined) this.#send({ options, handler }, connection);
    else if (this.#connections.size === 0) this.#send({ options, handler }, this.#add());
    else this.#wait({ options, handler });
    return true;
  }

  /** Closes idle connections, because the network may have changed. */
  closeIdle(): void {
    for (const connection of this.#idle.splice(0)) this.#close(connection);
  }

  /** Ends all connections at once, and refuses further requests. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#idle.length = 0;
    await Promise.all([...this.#connections].map(({ client }) => client.destroy()));
    this.#connections.clear();
  }

  /** Sends a request after the present events: a connection whose answer has just ended is idle then. */
  #wait(request: WaitingRequest): void {
    this.#waiting.push(request);
    if (this.#waiting.length > 1) return;
    setImmediate(() => {
      for (const waiting of this.#waiting.splice(0)) {
        if (this.#hasEnded) fail(waiting.handler, new errors.ClientDestroyedError());
        else this.#send(waiting, this.#idle.pop() ?? this.#add());
      }
    });
  }

  #send({ options, handler }: WaitingRequest, connection: Connection): void {
    connection.idleSince = null;
    connection.client.dispatch(options, handler);
    // An invalid request was refused and is not followed by an event.
    if (connection.client.stats.size === 0) this.#free(connection);
    this.#options.onRequest(options);
  }

  #add(): Connection {
    const client = new Client(this.#options.origin, {
      allowH2: false,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: MAX_IDLE_MS,
      keepAliveMaxTimeout: MAX_IDLE_MS,
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
      connect: (target, callback) => {
        this.#options.connect(target, (...[error, socket]) => {
          if (error !== null) return callback(error, null);
          socket.on('error', (lost: NodeJS.ErrnoException) => this.#lostWith(lost, connection));
          callback(null, socket);
        });
      },
    });
    const connection: Connection = { client, idleSince: null, isTelling: true };
    client.on('drain', () => this.#free(connection));
    client.on('disconnect', (_origin, _targets, error) => this.#disconnected(connection, error));
    this.#connections.add(connection);
    return connection;
  }

  /**
   * Makes undici send requests that wait for an idle connection on a new one when this one is reset. It does so when an idle connection
   * is closed; by other codes it recognizes errors of connecting, and fails those requests.
   */
  #lostWith(error: NodeJS.ErrnoException, connection: Connection): void {
    const isOwn = error.code?.startsWith('UND_ERR_') === true;
    if (isOwn || connection.client.stats.running > 0) return;
    if (error.code !== 'ECONNRESET') connection.isTelling = false;
    error.code = 'UND_ERR_SOCKET';
  }

  /** Takes over a connection whose request has ended. */
  #free(connection: Connection): void {
    if (connection.idleSince !== null || this.#hasEnded) return;
    if (!connection.client.stats.connected) return this.#close(connection);
    connection.idleSince = performance.now();
    this.#idle.push(connection);
    this.#scheduleClose();
  }

  #disconnected(connection: Connection, error: Error & { readonly code?: string }): void {
    const { idleSince, isTelling } = connection;
    const position = this.#idle.indexOf(connection);
    // One with a waiting request is connected again by undici.
    if (position === -1 || idleSince === null) return;
    const now = performance.now();
    // undici's own close after the time of `Keep-Alive` has another code.
    if (isTelling && error.code === 'UND_ERR_SOCKET') this.#idleLimit.closed(now - idleSince, now);
    this.#idle.splice(position, 1);
    this.#close(connection);
    this.#options.onIdleClosed();
  }

  #close(connection: Connection): void {
    this.#connections.delete(connection);
    void connection.client.destroy();
  }

  #idleMs(now: number): number {
    return Math.min(MAX_IDLE_MS, this.#idleLimit.limitMs(now) ?? MAX_IDLE_MS);
  }

  /** Sets the timer for the connection that is idle for the longest time. Without a learned limit, undici's own timers are enough. */
  #scheduleClose(): void {
    const now = performance.now();
    const limitMs = this.#idleLimit.limitMs(now);
    const first = this.#idle[0]?.idleSince;
    if (this.#timer !== null || limitMs === null || typeof first !== 'number') return;
    const wait = Math.max(0, first + limitMs - now);
    this.#timer = setTimeout(() => this.#closeOld(), Math.ceil(wait)).unref();
  }

  #closeOld(): void {
    this.#timer = null;
    const now = performance.now();
    const before = this.#idle.length;
    const limitMs = this.#idleMs(now);
    const kept = this.#idle.findIndex(({ idleSince }) => now - (idleSince ?? now) < limitMs);
    const old = this.#idle.splice(0, kept === -1 ? before : kept);
    for (const connection of old) this.#close(connection);
    this.#scheduleClose();
    if (old.length > 0) this.#options.onIdleClosed();
  }
}

function fail(handler: Dispatcher.DispatchHandler, error: Error): void {
  // oxlint-disable-next-line no-unsafe-type-assertion -- undici itself gives none for a request that never began
  const none = undefined as unknown as Dispatcher.DispatchController;
  queueMicrotask(() => handler.onResponseError?.(none, error));
}
