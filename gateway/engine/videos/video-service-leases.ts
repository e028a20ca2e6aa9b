import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import type { Upstream } from '../../../shared/upstream.ts';
import { UserError } from '../../errors.ts';
import { InvalidKeyError } from '../../keys/keys.ts';
import type { ServiceLease } from '../../videos/videos.ts';
import type { ConnectionPool } from '../../upstreams/connection-pool.ts';
import type { KeyRing } from '../../upstreams/key-ring.ts';
import type { UpstreamCatalog } from '../../upstreams/upstream-catalog.ts';
import { toUpstreamTarget } from '../../upstreams/upstream-session.ts';

export interface VideoServiceLeasesOptions {
  readonly catalog: UpstreamCatalog;
  readonly ring: KeyRing;
  readonly pool: ConnectionPool;
  /** Is called before a connection is leased. */
  readonly onUse: () => void;
}

/** Connects video jobs to their services, whichever upstream is in use: a job must not end because a person switches. */
export class VideoServiceLeases {
  readonly #options: VideoServiceLeasesOptions;

  constructor(options: VideoServiceLeasesOptions) {
    this.#options = options;
  }

  /** Returns the stable id of the service at a base address. The sandbox has another address after each start, so it maps to `SANDBOX_ID`. */
  toServiceId(baseUrl: string): string {
    return this.#options.catalog.runningSandbox?.url === baseUrl ? SANDBOX_ID : baseUrl;
  }

  /** Leases a connection to a service with its key, or says why there is none. */
  async acquire(service: string): Promise<ServiceLease> {
    const { ring, pool, onUse } = this.#options;
    onUse();
    try {
      const upstream = await this.#find(service);
      if (upstream === null) return { sentence: serviceRemovedMessage(service) };
      const key = await ring.get(upstream.baseUrl);
      if (key.current() === null) return { sentence: key.state().sentence };
      const { resource, release } = await pool.acquire(upstream);
      const { connections } = resource;
      const target = toUpstreamTarget(upstream);
      return { connection: { service, target, connections, key }, release };
    } catch (error) {
      if (error instanceof UserError || error instanceof InvalidKeyError) {
        return { sentence: error.message };
      }
      throw error;
    }
  }

  async #find(service: string): Promise<Upstream | null> {
    const { catalog } = this.#options;
    if (service === SANDBOX_ID) return await catalog.sandbox();
    return (await catalog.all()).find(({ baseUrl }) => baseUrl === service) ?? null;
  }
}

function serviceRemovedMessage(service: string): string {
  return `The service ${service} is no longer configured. Add it again in Settings to continue.`;
}
