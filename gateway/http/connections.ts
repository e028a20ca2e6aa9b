import type { Dispatcher } from 'undici';
import { isLoopback } from '../lib/loopback.ts';
import { Agent } from '../lib/undici.ts';
import { AddressMemory } from './address-memory.ts';
import {
  type Connector,
  createDirectConnector,
  createTunnelConnector,
  lazySecureContext,
} from './pool/connector.ts';
import { publicLookup } from './public-address.ts';
import { openTunnels } from './tunnel.ts';
import { WarmService } from './pool/warm-service.ts';

/** The connections of one upstream. */
export interface Connections {
  /** Connects to the service only. */
  readonly service: Dispatcher;
  /** Connects to redirect targets, but to private ones only if `privateAllowed`. */
  readonly elsewhere: Dispatcher;
  /** Whether this machine and its private network may be redirect targets. */
  readonly privateAllowed: boolean;
  /**
   * Opens a spare connection to the service unless one is idle, and keeps one ready while clients are active. `onOpened` is called
   * whenever one has been opened; a failure is not reported.
   */
  prepare(onOpened?: () => void): void;
  /** Closes connections to the service that have no request, because the network may have changed. */
  renew(): void;
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

/**
 * Opens connections for HTTP/1.1, with one request per connection at a time and without limits of time or number: answers may be long
 * and many, and their bytes are relayed as they are.
 */
export function openConnections(options: ConnectionsOptions): Connections {
  const { origin, connectMs, ownPorts, extraCa = [], proxyUrl = null } = options;
  const privateAllowed = isLoopback(new URL(origin).hostname);
  const connecting = { connectMs, ownPorts, secureContext: lazySecureContext(extraCa) };
  const addresses = new AddressMemory();
  const direct = forgetting(
    createDirectConnector({ ...connecting, lookup: addresses.lookup }),
    addresses,
  );
  const tunnels = proxyUrl === null ? null : openTunnels({ proxyUrl, connectMs, connect: direct });
  const checked = privateAllowed ? {} : { lookup: publicLookup };
  const service = new WarmService({
    origin,
    connect: tunnels === null ? direct : createTunnelConnector(tunnels, connecting),
  });
  const elsewhere = new Agent({
    allowH2: false,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect:
      tunnels === null
        ? createDirectConnector({ ...connecting, ...checked })
        : createTunnelConnector(tunnels, { ...connecting, ...checked }),
  });
  return {
    service: service.dispatcher,
    elsewhere,
    privateAllowed,
    prepare: (onOpened = () => undefined) => service.prepare(onOpened),
    renew: () => {
      addresses.forgetAll();
      service.renew();
    },
    close: async () => {
      await Promise.all([service.close(), elsewhere.destroy(), tunnels?.close()]);
    },
  };
}

/** Forgets the addresses of a name when a connection to it fails. */
function forgetting(connect: Connector, addresses: AddressMemory): Connector {
  return (target, callback) => {
    connect(target, (...[error, socket]) => {
      if (error === null) return callback(null, socket);
      addresses.forget(target.hostname);
      callback(error, null);
    });
  };
}
