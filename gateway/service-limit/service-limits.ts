import { Throttle } from '../lib/throttle.ts';
import type { ServiceLoad } from '../../shared/status.ts';
import type { Connections } from '../http/connections.ts';
import { pausedProblem } from './limit-problems.ts';
import { ServiceLimit } from './service-limit.ts';

export interface ServiceLimitsOptions {
  /** How long a call may wait for its turn, in milliseconds. */
  readonly waitMs: number;
  /** Wall clock, Unix time in milliseconds. */
  readonly now: () => number;
  /** Whether nothing new is sent for clients and for videos. */
  readonly paused: () => boolean;
  /** Told when a load has changed, at most four times a second. */
  readonly onChange: () => void;
}

/** The limits of all services that were called in this run, by base address: whoever calls one of them goes through the same limit. */
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
    const { waitMs, now, paused: isPaused } = this.#options;
    const limit = new ServiceLimit({
      origin: new URL(baseUrl).origin,
      waitMs,
      now,
      paused: isPaused,
      onChange: () => this.#changes.trigger(),
    });
    this.#limits.set(baseUrl, limit);
    return limit;
  }

  /** The connections to a service, through its limit. */
  over(baseUrl: string, connections: Connections): Connections {
    return { ...connections, service: this.of(baseUrl).over(connections.service) };
  }

  /** By base address. */
  loads(): ReadonlyMap<string, ServiceLoad> {
    return new Map([...this.#limits].map(([baseUrl, limit]) => [baseUrl, limit.load()]));
  }

  /** The network may be another one. */
  resetCircuits(): void {
    for (const limit of this.#limits.values()) limit.resetCircuit();
  }

  /** Ends the waiting of clients and of orders, at all services. */
  pause(): void {
    for (const limit of this.#limits.values()) limit.turnAway(pausedProblem, 'pausable');
  }

  /** Nothing waits any more. */
  close(): void {
    for (const limit of this.#limits.values()) limit.close();
    this.#changes.close();
  }
}
