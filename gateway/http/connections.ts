import type { LookupFunction, Socket } from 'node:net';
import { createSecureContext, getCACertificates } from 'node:tls';
import { Agent, buildConnector, type Dispatcher, Pool } from 'undici';
import { Problem } from '../../shared/problem.ts';
import { isLoopback } from '../lib/loopback.ts';
import { publicLookup } from './public-address.ts';
import { openTunnels, type Tunnels } from './tunnel.ts';

/** The connections of one upstream. */
export interface Connections {
  /** Connects to the service only. */
  readonly service: Dispatcher;
  /** Connects to redirect targets, but to private ones only if `privateAllowed`. */
  readonly elsewhere: Dispatcher;
  /** Whether this machine and its private network may be redirect targets. */
  readonly privateAllowed: boolean;
  /** Ends all connections at once. */
  close(): Promise<void>;
}

export interface ConnectionsOptions {
  /** Scheme, host and port of the service. */
  readonly origin: string;
  /** Timeout for connecting, in milliseconds. */
  readonly connectMs: number;
  /** Ports of this machine that we listen on. No request goes there. */
  readonly ownPorts: ReadonlySet<number>;
  /** Certificates (PEM) that are trusted besides those of Node and of the system. */
  readonly extraCa?: readonly string[];
  /** Origin of an HTTP proxy for all connections. */
  readonly proxyUrl?: string | null;
}

type Connector = buildConnector.connector;

/**
 * Opens connections for HTTP/1.1, with one request per connection at a time and without limits of time or number: answers may be long
 * and many, and their bytes are relayed as they are.
 */
export function openConnections(options: ConnectionsOptions): Connections {
  const { origin, connectMs, ownPorts, proxyUrl = null } = options;
  const privateAllowed = isLoopback(new URL(origin).hostname);
  const direct = (lookup?: LookupFunction) => guarded(plainOrTls(options, lookup), ownPorts);
  const tunnels =
    proxyUrl === null ? null : openTunnels({ proxyUrl, connectMs, connect: direct() });
  const connector = (lookup?: LookupFunction) =>
    tunnels === null ? direct(lookup) : throughTunnel(tunnels, options, lookup);
  const shared = { allowH2: false, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 } as const;
  const service = new Pool(origin, { ...shared, connections: null, connect: connector() });
  const elsewhere = new Agent({
    ...shared,
    connect: privateAllowed ? connector() : connector(publicLookup),
  });
  return {
    service,
    elsewhere,
    privateAllowed,
    close: async () => {
      await Promise.all([service.destroy(), elsewhere.destroy(), tunnels?.close()]);
    },
  };
}

/** Creates the connector. TLS is set up at its first use, because reading hundreds of certificates takes a moment. */
function plainOrTls(
  { connectMs, extraCa = [] }: ConnectionsOptions,
  lookup: LookupFunction | undefined,
): Connector {
  const options = {
    allowH2: false,
    timeout: connectMs,
    ...(lookup === undefined ? {} : { lookup }),
  };
  const plain = buildConnector(options);
  let secure: Connector | null = null;
  return (target, callback) => {
    if (target.protocol !== 'https:') return plain(target, callback);
    secure ??= buildConnector({ ...options, secureContext: secureContext(extraCa) });
    secure(target, callback);
  };
}

function secureContext(extraCa: readonly string[]) {
  const all = [...getCACertificates('default'), ...getCACertificates('system'), ...extraCa];
  return createSecureContext({ ca: [...new Set(all)] });
}

/** Closes a connection that leads to ourselves, by whatever name, before anything is sent on it. */
function guarded(connect: Connector, ownPorts: ReadonlySet<number>): Connector {
  return (target, callback) => {
    connect(target, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      if (!leadsToUs(socket, ownPorts)) return callback(null, socket);
      socket.destroy();
      callback(loop(), null);
    });
  };
}

function leadsToUs({ remoteAddress, remotePort }: Socket, ownPorts: ReadonlySet<number>): boolean {
  return ownPorts.has(remotePort ?? 0) && isLoopback(remoteAddress ?? '');
}

function loop(): Problem {
  return new Problem(
    'loop_detected',
    'The address of the service, or that of its proxy, leads back to Gatehouse itself. Nothing was sent; set the address of the service.',
  );
}

/** Creates a connector through an HTTP proxy. With a `lookup` the proxy gets the address that was checked and not the name. */
function throughTunnel(
  tunnels: Tunnels,
  options: ConnectionsOptions,
  lookup: LookupFunction | undefined,
): Connector {
  const upgrade = plainOrTls(options, undefined);
  const open = async ({ hostname, port, protocol }: buildConnector.Options): Promise<Socket> => {
    const number = Number(port) || (protocol === 'https:' ? 443 : 80);
    if (isLoopback(hostname) && options.ownPorts.has(number)) throw loop();
    const host = lookup === undefined ? hostname : await addressOf(hostname, lookup);
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

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

function addressOf(hostname: string, lookup: LookupFunction): Promise<string> {
  return new Promise((resolve, reject) => {
    lookup(hostname, { all: false }, (error, address) => {
      if (error !== null) reject(error);
      else resolve(typeof address === 'string' ? address : (address[0]?.address ?? ''));
    });
  });
}
