import type { Host } from '../host.ts';
import { readOwnAddresses } from '../lib/own-addresses.ts';

/** Shortest time between two checks when requests arrive, in milliseconds. */
const MIN_INTERVAL_MS = 1_000;
/** Checks go on for this long after the latest request. */
const ACTIVE_MS = 15 * 60_000;
/** Difference of the clocks, and delay of a timer, from which on the machine must have slept. */
const SLEEP_MS = 5_000;
const LATE_MS = 30_000;

/** Events of the machine after which open connections may lead nowhere. */
export type MachineEvent = 'slept' | 'network-changed';

export interface MachineWatchOptions {
  readonly host: Pick<Host, 'uptime'>;
  /** Interval of checks while clients are active, in milliseconds. */
  readonly intervalMs: number;
  /** Gives milliseconds of a clock that may stand still while the machine sleeps; defaults to that of the process. */
  readonly monotonic?: () => number;
  /** Returns the addresses of this machine, `null` while they are not known; defaults to those of the system. */
  readonly addresses?: () => string | null;
  /** Whether requests are in flight. */
  readonly isBusy: () => boolean;
  readonly onEvent: (event: MachineEvent) => void;
}

/**
 * Notices that the machine has slept or that its network has changed: when a request arrives after a moment without one, and from
 * time to time while clients are active. A sleep shows in the time since the start of the machine, which counts it, and in the clock of the process, which does not
 * (Linux) or makes a timer late (other systems).
 */
export class MachineWatch {
  readonly #options: MachineWatchOptions;
  readonly #monotonic: () => number;
  readonly #addresses: () => string | null;
  #checkedAt: number;
  #uptimeAtCheck: number;
  #known: string | null;
  #activeAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;
  #hasEnded = false;

  constructor(options: MachineWatchOptions) {
    this.#options = options;
    this.#monotonic = options.monotonic ?? (() => performance.now());
    this.#addresses = options.addresses ?? listAddresses;
    this.#checkedAt = this.#monotonic();
    this.#uptimeAtCheck = options.host.uptime();
    this.#known = this.#addresses();
  }

  /** Checks unless that was done just now, and from time to time while clients are active. A request that has just arrived is told here. */
  readonly requestArrived = (): void => {
    const now = this.#monotonic();
    this.#activeAt = now;
    if (now - this.#checkedAt >= MIN_INTERVAL_MS) this.#check(false);
    if (this.#timer === null) this.#schedule();
  };

  close(): void {
    this.#hasEnded = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#hasEnded) return;
    const { intervalMs, isBusy } = this.#options;
    const dueAt = this.#monotonic() + intervalMs;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      const now = this.#monotonic();
      this.#check(now - dueAt >= LATE_MS);
      if (now - this.#activeAt < ACTIVE_MS || isBusy()) this.#schedule();
    }, intervalMs).unref();
  }

  #check(isLate: boolean): void {
    const now = this.#monotonic();
    const uptime = this.#options.host.uptime();
    const sleptMs = uptime - this.#uptimeAtCheck - (now - this.#checkedAt);
    this.#checkedAt = now;
    this.#uptimeAtCheck = uptime;
    const addresses = this.#addresses() ?? this.#known;
    const hasMoved = addresses !== this.#known && this.#known !== null;
    this.#known = addresses;
    if (isLate || sleptMs >= SLEEP_MS) this.#options.onEvent('slept');
    else if (hasMoved) this.#options.onEvent('network-changed');
  }
}

/** Lists the addresses that connections of this machine can have, as one text; `null` while the system does not tell them. */
function listAddresses(): string | null {
  const outer = readOwnAddresses()?.filter(
    ({ internal, address }) => !internal && !/^(?:fe80|169\.254)/iu.test(address),
  );
  return outer
    ? outer
        .map(({ network, address }) => `${network} ${address}`)
        .toSorted()
        .join('\n')
    : null;
}
