import { isDeepStrictEqual } from 'node:util';
import { SANDBOX_ID, type Upstream } from '../../shared/upstream.ts';
import { InvalidKeyError } from '../keys/keys.ts';
import { UserError } from '../errors.ts';
import type { ConnectionLease } from '../videos/videos.ts';
import type { KeyRing } from './key-ring.ts';
import {
  type UpstreamEndpoint,
  type UpstreamSessionDeps,
  openUpstreamConnections,
  type UpstreamConnections,
  type ConnectionDeps,
} from './upstream-session.ts';
import type { UpstreamCatalog } from './upstream-catalog.ts';

export interface VideoConnectionPoolOptions {
  readonly catalog: UpstreamCatalog;
  readonly ring: KeyRing;
  readonly ground: ConnectionDeps & Pick<UpstreamSessionDeps, 'limits'>;
}

/** Connections and how many use them. */
interface PooledConnection {
  readonly address: UpstreamEndpoint;
  readonly way: Promise<UpstreamConnections>;
  users: number;
  left: boolean;
}

/** The ways to all services that have videos under way, whichever is in use: an order on its way must not end because a person switches. */
export class VideoConnectionPool {
  readonly #options: VideoConnectionPoolOptions;
  readonly #lines = new Map<string, PooledConnection>();
  readonly #closing = new Set<Promise<void>>();

  constructor(options: VideoConnectionPoolOptions) {
    this.#options = options;
  }

  /** How jobs name the service at a base address: that of the sandbox is another one after each start. */
  serviceAt(baseUrl: string): string {
    return this.#options.catalog.runningSandbox?.url === baseUrl ? SANDBOX_ID : baseUrl;
  }

  /** The way to a service until it is released, or why there is none. */
  async acquire(service: string): Promise<ConnectionLease> {
    try {
      const upstream = await this.#find(service);
      if (upstream === null) return { sentence: serviceRemovedMessage(service) };
      const key = await this.#options.ring.get(upstream.baseUrl);
      if (key.current() === null) return { sentence: key.state().sentence };
      const line = this.#connectionTo(service, upstream);
      line.users += 1;
      const release = () => this.#release(line);
      const way = await line.way.catch((error: unknown) => {
        this.#retire(service, line);
        release();
        throw error;
      });
      const connections = this.#options.ground.limits.over(upstream.baseUrl, way.connections);
      const { origin, pathname } = new URL(upstream.baseUrl);
      const basePath = pathname.replace(/\/$/, '');
      const target = { origin, basePath, vendor: upstream.versionVendor };
      return { connection: { target, connections, key }, release };
    } catch (error) {
      if (error instanceof UserError || error instanceof InvalidKeyError) {
        return { sentence: error.message };
      }
      throw error;
    }
  }

  /** Whoever asks for a way from now on gets new connections. */
  reconnect(): void {
    for (const [service, line] of this.#lines) this.#retire(service, line);
  }

  /** The same for those services that the system wants reached by another proxy than before. */
  async refreshSystemProxy(): Promise<void> {
    const { systemProxyFor } = this.#options.ground;
    for (const [service, line] of this.#lines) {
      // Whoever asked for what could not be opened has heard why.
      const way = await line.way.catch(() => null);
      const wanted = await systemProxyFor(line.address);
      const same = isDeepStrictEqual(wanted, way?.systemProxy);
      if (!same && !line.left) this.#retire(service, line);
    }
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    for (const [service, line] of this.#lines) {
      line.users = 0;
      this.#retire(service, line);
      this.#end(line);
    }
    await Promise.all(this.#closing);
  }

  async #find(service: string): Promise<Upstream | null> {
    const { catalog } = this.#options;
    if (service === SANDBOX_ID) return await catalog.sandbox();
    return (await catalog.all()).find(({ baseUrl }) => baseUrl === service) ?? null;
  }

  #connectionTo(service: string, { baseUrl, caFile, proxyUrl }: Upstream): PooledConnection {
    const address = { baseUrl, caFile, proxyUrl };
    const known = this.#lines.get(service);
    if (known !== undefined && isDeepStrictEqual(known.address, address)) return known;
    if (known !== undefined) this.#retire(service, known);
    const way = openUpstreamConnections(address, this.#options.ground);
    const line = { address, way, users: 0, left: false };
    this.#lines.set(service, line);
    return line;
  }

  /** Nobody new uses it; it ends with the last who does. */
  #retire(service: string, line: PooledConnection): void {
    line.left = true;
    if (this.#lines.get(service) === line) this.#lines.delete(service);
    if (line.users === 0) this.#end(line);
  }

  #release(line: PooledConnection): void {
    line.users -= 1;
    if (line.left && line.users === 0) this.#end(line);
  }

  #end({ way }: PooledConnection): void {
    const ended = way
      .then(async ({ connections }) => await connections.close())
      // What never opened needs no end.
      .catch(() => undefined)
      .finally(() => this.#closing.delete(ended));
    this.#closing.add(ended);
  }
}

function serviceRemovedMessage(service: string): string {
  return `The service ${service} is not configured any more. Add it again in Settings, and Gatehouse goes on.`;
}
