import { isDeepStrictEqual } from 'node:util';
import type { Log } from '../host.ts';
import type { InTurn } from '../in-turn.ts';
import type { Links } from './links.ts';
import type { ServiceLimits } from './service-limits.ts';
import { UNSAID } from './system-proxy.ts';
import type { Wires } from './wires.ts';

export interface WaysOptions {
  readonly links: Links;
  readonly wires: Wires;
  readonly limits: ServiceLimits;
  /** Between two looks at what the system wants, in milliseconds. */
  readonly lookMs: number;
  readonly inTurn: InTurn;
  readonly log: Log;
}

/** A script of a network may take its time to say which proxy it wants. */
const SOON_MS = 15_000;

/** Keeps the ways to the services as the system wants them. What is on its way stays where it is. */
export class Ways {
  readonly #options: WaysOptions;
  #timer: NodeJS.Timeout | null = null;
  #latest: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: WaysOptions) {
    this.#options = options;
    this.#plan();
  }

  /** New connections for everything new. Never rejects. */
  async renew(): Promise<void> {
    const { links, wires, limits } = this.#options;
    wires.renew();
    limits.resetCircuits();
    await this.#change(() => links.renew());
  }

  /** The same where the system wants another proxy than before. Never rejects. */
  async look(): Promise<void> {
    const { links, wires } = this.#options;
    await this.#change(async () => {
      await wires.reroute();
      await links.reroute();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#latest;
  }

  /** A way that cannot be made anew stays. */
  async #change(work: () => Promise<void>): Promise<void> {
    const { inTurn, log } = this.#options;
    this.#latest = inTurn(async () => {
      if (!this.#closed) await work();
    })
      .catch((error: unknown) =>
        log('warn', 'The connections to a service stay as they are.', { reason: String(error) }),
      )
      .finally(() => this.#plan());
    await this.#latest;
  }

  #plan(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#closed) return;
    const { links, lookMs } = this.#options;
    const unsaid = isDeepStrictEqual(links.current.systemProxy, UNSAID);
    this.#timer = setTimeout(() => void this.look(), unsaid ? SOON_MS : lookMs).unref();
  }
}
