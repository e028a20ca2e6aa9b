import { isDeepStrictEqual } from 'node:util';
import type { Upstream } from '../../shared/upstream.ts';
import { type Connections, openConnections } from '../http/connections.ts';
import { type Lease, SharedResource } from '../lib/shared-resource.ts';
import type { SystemProxy } from '../platform.ts';
import type { ServiceLimits } from '../service-limit/service-limits.ts';
import type { SystemProxyResolver } from './system-proxy.ts';
import { readCaFile } from './upstreams.ts';

/** The address of an upstream, and how to connect to it. */
export type UpstreamEndpoint = Pick<Upstream, 'baseUrl' | 'caFile' | 'proxyUrl'>;

/** Connections, and the system's proxy at the time when they were opened. */
export interface UpstreamConnections {
  readonly connections: Connections;
  readonly systemProxy: SystemProxy;
}

/** The use of one upstream's connections. Its holder must release it. */
export type ConnectionLease = Lease<UpstreamConnections>;

export interface ConnectionPoolOptions {
  /** Timeout for connecting, in milliseconds. */
  readonly connectMs: number;
  /** Ports of this machine that we listen on. No request goes there. */
  readonly ownPorts: ReadonlySet<number>;
  readonly systemProxyFor: SystemProxyResolver;
  readonly limits: ServiceLimits;
}

interface Entry {
  readonly endpoint: UpstreamEndpoint;
  readonly opened: Promise<SharedResource<UpstreamConnections>>;
}

/** Opens the connections that an upstream asks for. @throws UserError when its certificates cannot be read. */
export async function openConnectionsTo(
  { baseUrl, caFile, proxyUrl }: UpstreamEndpoint,
  { connectMs, ownPorts }: Pick<ConnectionPoolOptions, 'connectMs' | 'ownPorts'>,
): Promise<Connections> {
  const extraCa = caFile === null ? [] : await readCaFile(caFile);
  return openConnections({
    origin: new URL(baseUrl).origin,
    connectMs,
    ownPorts,
    extraCa,
    proxyUrl,
  });
}

/**
 * Opens connections through the proxy of the system, unless the upstream has one of its own. Requests on them pass no limit.
 * @throws UserError when the upstream's certificates cannot be read.
 */
export async function openUpstreamConnections(
  endpoint: UpstreamEndpoint,
  options: Omit<ConnectionPoolOptions, 'limits'>,
): Promise<UpstreamConnections> {
  const systemProxy = await options.systemProxyFor(endpoint);
  const proxyUrl = endpoint.proxyUrl ?? systemProxy.proxyUrl;
  return { connections: await openConnectionsTo({ ...endpoint, proxyUrl }, options), systemProxy };
}

/**
 * Leases the connections to all upstreams in use: the proxy's session holds a lease, and so does every action of a video job, so that a
 * job goes on while a person switches to another upstream. Retired connections serve those that hold them, and close with the last.
 */
export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  /** The connections that new leases get, by endpoint as JSON. Two of one base address exist while its certificates cannot be read. */
  readonly #entries = new Map<string, Entry>();
  readonly #opened = new Set<SharedResource<UpstreamConnections>>();

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
  }

  /** Leases connections, opened when there are none for this endpoint. @throws UserError when its certificates cannot be read. */
  async acquire({ baseUrl, caFile, proxyUrl }: UpstreamEndpoint): Promise<ConnectionLease> {
    const endpoint = { baseUrl, caFile, proxyUrl };
    const known = this.#entries.get(toKey(endpoint));
    if (known !== undefined) {
      const connections = await known.opened;
      // They may have been retired while they were opened.
      if (!connections.isRetired) return connections.acquire();
      return await this.acquire(endpoint);
    }
    const entry = { endpoint, opened: this.#open(endpoint) };
    this.#entries.set(toKey(endpoint), entry);
    try {
      return (await entry.opened).acquire();
    } catch (error) {
      this.#retire(entry);
      throw error;
    }
  }

  /** Gives new connections to every later lease for this base address. */
  retire(baseUrl: string): void {
    for (const entry of this.#entries.values()) {
      if (entry.endpoint.baseUrl === baseUrl) this.#retire(entry);
    }
  }

  /** Gives new connections to every later lease. */
  retireAll(): void {
    for (const entry of this.#entries.values()) this.#retire(entry);
  }

  /** Closes all connections without a request, also those of present leases, because the network may have changed. */
  renewAll(): void {
    for (const shared of this.#opened) {
      const { resource, release } = shared.acquire();
      resource.connections.renew();
      release();
    }
  }

  /** Gives new connections to later leases of those upstreams for which the system names another proxy than before. */
  async refreshSystemProxy(): Promise<void> {
    for (const entry of this.#entries.values()) {
      const connections = await entry.opened.catch(() => null);
      const lease = connections?.acquire();
      const systemProxy = await this.#options.systemProxyFor(entry.endpoint);
      if (!isDeepStrictEqual(systemProxy, lease?.resource.systemProxy)) this.#retire(entry);
      lease?.release();
    }
  }

  /** Ends all connections at once. */
  async close(): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ opened }) => opened.catch(() => null)));
    this.#entries.clear();
    await Promise.all([...this.#opened].map((connections) => connections.close()));
  }

  async #open(endpoint: UpstreamEndpoint): Promise<SharedResource<UpstreamConnections>> {
    const opened = await openUpstreamConnections(endpoint, this.#options);
    const connections = this.#options.limits.wrap(endpoint.baseUrl, opened.connections);
    const { systemProxy } = opened;
    const shared = new SharedResource({ connections, systemProxy }, async () => {
      this.#opened.delete(shared);
      await connections.close();
    });
    this.#opened.add(shared);
    return shared;
  }

  #retire(entry: Entry): void {
    const key = toKey(entry.endpoint);
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
    // Connections that did not open need no end.
    entry.opened.then((connections) => connections.retire()).catch(() => undefined);
  }
}

function toKey(endpoint: UpstreamEndpoint): string {
  return JSON.stringify([endpoint.baseUrl, endpoint.caFile, endpoint.proxyUrl]);
}
