import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import type { Connector } from './connector.ts';

export interface SpareConnectionOptions {
  readonly origin: string;
  readonly connect: Connector;
  /** Returns the longest life of a spare that is opened now, in milliseconds. */
  readonly maxMs: () => number;
  /** Is called when a spare has been opened and waits for a request. */
  readonly onOpened: () => void;
  /** Is called when the spare was taken for a request. */
  readonly onTaken: () => void;
  /** Is called when it could not be opened (`livedMs` is 0) or was closed by the service before it was used. */
  readonly onFailed: (livedMs: number) => void;
  /** Is called when it was closed after its longest life. */
  readonly onExpired: () => void;
}

/** An attempt to open a spare. */
interface Opening {
  /** The request that waits for it. */
  claim: buildConnector.Callback | null;
  isDiscarded: boolean;
}

/** An open connection that nothing was sent on. */
interface Spare {
  readonly socket: Socket;
  readonly openedAt: number;
  /** Stops watching the socket. */
  readonly release: () => void;
}

/** Events after which a connection without a request is of no use. */
const END_EVENTS = ['readable', 'end', 'error', 'close'] as const;

/** Holds at most one connection to the service that is open before it is needed. */
export class SpareConnection {
  readonly #options: SpareConnectionOptions;
  readonly #target: buildConnector.Options;
  #opening: Opening | null = null;
  #spare: Spare | null = null;

  constructor(options: SpareConnectionOptions) {
    this.#options = options;
    this.#target = toTarget(options.origin);
  }

  /** Whether one is open or being opened. */
  get exists(): boolean {
    return this.#opening !== null || this.#spare !== null;
  }

  /** Connects like the connector of the service, with the spare if there is one. */
  readonly connect: Connector = (target, callback) => {
    const { connect, onTaken } = this.#options;
    // A name that a Host header gave is not the one that the spare was made for.
    if (target.servername) return connect(target, callback);
    const [opening, spare] = [this.#opening, this.#spare];
    if (opening !== null) {
      this.#opening = null;
      opening.claim = callback;
      return onTaken();
    }
    if (spare === null) return connect(target, callback);
    this.#spare = null;
    // A close by the service that the system has already reported is handled first.
    setImmediate(() => {
      const { socket, release } = spare;
      release();
      if (!isFresh(socket)) {
        socket.destroy();
        return connect(target, callback);
      }
      socket.ref();
      callback(null, socket);
    });
    return onTaken();
  };

  /** Opens a spare unless there is one. */
  open(): void {
    if (this.exists) return;
    const opening: Opening = { claim: null, isDiscarded: false };
    this.#opening = opening;
    this.#options.connect(this.#target, (...[error, socket]) => {
      if (this.#opening === opening) this.#opening = null;
      if (opening.claim !== null) {
        if (error === null) return opening.claim(null, socket);
        // The attempt may have begun long before the request, while the network was down.
        this.#options.onFailed(0);
        this.#options.connect(this.#target, opening.claim);
      } else if (opening.isDiscarded) socket?.destroy();
      else if (error === null) this.#hold(socket);
      else this.#options.onFailed(0);
    });
  }

  /** Closes the spare, because it may lead nowhere. */
  discard(): void {
    if (this.#opening !== null) this.#opening.isDiscarded = true;
    this.#opening = null;
    const spare = this.#spare;
    this.#spare = null;
    spare?.release();
    spare?.socket.destroy();
  }

  #hold(socket: Socket): void {
    const openedAt = performance.now();
    const { maxMs, onOpened, onExpired, onFailed } = this.#options;
    const expiry = setTimeout(() => {
      this.discard();
      onExpired();
    }, maxMs()).unref();
    const end = (): void => {
      // It may have been taken in this moment.
      if (this.#spare !== spare) return;
      this.discard();
      onFailed(performance.now() - openedAt);
    };
    const release = (): void => {
      clearTimeout(expiry);
      for (const event of END_EVENTS) socket.off(event, end);
    };
    const spare: Spare = { socket, openedAt, release };
    for (const event of END_EVENTS) socket.on(event, end);
    // It must not keep the process running.
    socket.unref();
    this.#spare = spare;
    onOpened();
  }
}

/** Whether a connection is open and the service has sent nothing on it. */
function isFresh(socket: Socket): boolean {
  return !socket.destroyed && socket.readable && socket.writable && socket.readableLength === 0;
}

/** Returns the target for which undici connects to an origin. */
function toTarget(origin: string): buildConnector.Options {
  const { host, hostname, protocol, port } = new URL(origin);
  return { host, hostname: hostname.replaceAll(/^\[|\]$/gu, ''), protocol, port };
}
