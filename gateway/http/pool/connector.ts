import type { LookupFunction, Socket } from 'node:net';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { Problem } from '../../../shared/problem.ts';
import { isLoopback } from '../../lib/loopback.ts';
import { buildConnector } from '../../lib/undici.ts';
import type { Tunnels } from '../tunnel.ts';

/** Opens a connection to a target and gives its socket to a callback. */
export type Connector = buildConnector.connector;

export interface ConnectorOptions {
  /** Timeout for connecting, in milliseconds. */
  readonly connectMs: number;
  /** Ports of this machine that we listen on. No connection leads there. */
  readonly ownPorts: ReadonlySet<number>;
  /** Returns the certificates that are trusted. */
  readonly secureContext: () => SecureContext;
  /** Resolves names; defaults to the system. */
  readonly lookup?: LookupFunction | undefined;
}

/** Time without traffic after which the system checks that the other end of a connection is still there, in milliseconds. */
const TCP_KEEP_ALIVE_MS = 30_000;

/** Creates a connector that connects directly, and refuses connections that lead to ourselves. */
export function createDirectConnector(options: ConnectorOptions): Connector {
  return refuseOwnPorts(createPlainOrTlsConnector(options), options.ownPorts);
}

/** Creates a connector through an HTTP proxy. With a `lookup` the proxy gets the address that was checked and not the name. */
export function createTunnelConnector(tunnels: Tunnels, options: ConnectorOptions): Connector {
  const { lookup, ownPorts } = options;
  const upgrade = createPlainOrTlsConnector({ ...options, lookup: undefined });
  const open = async ({ hostname, port, protocol }: buildConnector.Options): Promise<Socket> => {
    const number = Number(port) || (protocol === 'https:' ? 443 : 80);
    if (isLoopback(hostname) && ownPorts.has(number)) throw loop();
    const host = lookup === undefined ? hostname : await resolveAddress(hostname, lookup);
    return await tunnels.open(host, number);
  };
  const connect = async (
    target: buildConnector.Options,
    callback: buildConnector.Callback,
  ): Promise<void> => {
    const socket = await open(target).catch(asError);
    if (socket instanceof Error) callback(socket, null);
    else if (target.protocol === 'https:') upgrade({ ...target, httpSocket: socket }, callback);
    else callback(null, socket);
  };
  return (target, callback) => void connect(target, callback);
}

/** Returns a function that creates the context at its first call, because reading hundreds of certificates takes a moment. */
export function lazySecureContext(extraCa: readonly string[]): () => SecureContext {
  let context: SecureContext | null = null;
  return () => {
    if (context !== null) return context;
    const all = [...getCACertificates('default'), ...getCACertificates('system'), ...extraCa];
    context = createSecureContext({ ca: [...new Set(all)] });
    return context;
  };
}

/** Creates the connector. TLS is set up at its first use. */
function createPlainOrTlsConnector({
  connectMs,
  secureContext,
  lookup,
}: ConnectorOptions): Connector {
  const options = {
    allowH2: false,
    timeout: connectMs,
    keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
    ...(lookup === undefined ? {} : { lookup }),
  };
  const plain = buildConnector(options);
  let secure: Connector | null = null;
  return (target, callback) => {
    if (target.protocol !== 'https:') return plain(target, callback);
    secure ??= keepingSession(buildConnector({ ...options, secureContext: secureContext() }));
    secure(target, callback);
  };
}

/** Holds the newest TLS session, which undici's cache would lose at a garbage collection. */
function keepingSession(connect: Connector): Connector {
  const newest: { session: Buffer | null } = { session: null };
  return (target, callback) => {
    connect(target, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      socket.on('session', (session: Buffer) => (newest.session = session));
      callback(null, socket);
    });
  };
}

/** Closes a connection that leads to ourselves, by whatever name, before anything is sent on it. */
function refuseOwnPorts(connect: Connector, ownPorts: ReadonlySet<number>): Connector {
  return (target, callback) => {
    connect(target, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      if (!leadsToUs(socket, ownPorts)) return callback(null, socket);
      socket.destroy();
      callback(loop(), null);
    });
  };
}

function leadsToUs(
  { localAddress, remoteAddress = '', remotePort = 0 }: Socket,
  ownPorts: ReadonlySet<number>,
): boolean {
  // A connection to an address of this machine comes from that address.
  return ownPorts.has(remotePort) && (isLoopback(remoteAddress) || remoteAddress === localAddress);
}

function loop(): Problem {
  return new Problem(
    'loop_detected',
    'The address of the service, or that of its proxy, leads back to Gatehouse itself. Nothing was sent; set the address of the service.',
  );
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

function resolveAddress(hostname: string, lookup: LookupFunction): Promise<string> {
  return new Promise((resolve, reject) => {
    lookup(hostname, { all: false }, (error, address) => {
      if (error !== null) reject(error);
      else resolve(typeof address === 'string' ? address : (address[0]?.address ?? ''));
    });
  });
}
