import { Throttle } from '../lib/throttle.ts';
import type { ServiceLoad } from '../../shared/status.ts';
import type { Connections } from '../http/connections.ts';
import { type Pause, ServiceLimit } from './service-limit.ts';

export interface ServiceLimitsOptions {
  /** Maximum wait of a call in the queue, in milliseconds. */
  readonly waitMs: number;
  /** Gives the Unix time in milliseconds. */
  readonly now: () => number;
  readonly pause: Pause;
  /** Is called when a load has changed, at most four times a second. */
  readonly onChange: () => void;
}

/** The limits of all services that were called in this run, by base address. All callers of a service share its limit. */
export class ServiceLimits {
  readonly #options: ServiceLimitsOptions;
  readonly #changes: Throttle;
  readonly #limits = new Map<string, ServiceLimit>();

  constructor(options: ServiceLimitsOptions) {
    this.#options = options;
    this.#changes = new Throttle(options.onChange);
  }

  of(baseUrl: string): ServiceLimit {
    const known = this.#limits.get(baseUrl);
    if (known !== undefined) return known;
    const { waitMs, now, pause } = this.#options;
    const limit = new ServiceLimit({
      origin: new URL(baseUrl).origin,
      waitMs,
      now,
      pause,
      onChange: () => this.#changes.trigger(),
    });
    this.#limits.set(baseUrl, limit);
    return limit;
  }

  /** Wraps the connections to a service with its limit. */
  wrap(baseUrl: string, connections: Connections): Connections {
    return { ...connections, service: this.of(baseUrl).wrap(connections.service) };
  }

  /** Returns the load of each service, by base address. */
  loads(): ReadonlyMap<string, ServiceLoad> {
    return new Map([...this.#limits].map(([baseUrl, limit]) => [baseUrl, limit.load()]));
  }

  /** Closes all circuits, because the network may have changed. */
  resetCircuits(): void {
    for (const limit of this.#limits.values()) limit.resetCircuit();
  }

  /** Refuses queued calls of clients and orders at all services. */
  pause(): void {
    const { problem } = this.#options.pause;
    for (const limit of this.#limits.values()) limit.refuseQueued(problem, 'pausable');
  }

  /** Refuses all queued calls. */
  close(): void {
    for (const limit of this.#limits.values()) limit.close();
    this.#changes.close();
  }
}
