import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isLoopback } from '../lib/loopback.ts';

/** Longest time for which addresses are remembered, in milliseconds. */
const MAX_MS = 5 * 60_000;
/** Timeout of a question for the lifetime, in milliseconds. Nothing waits for it. */
const TIMEOUT_MS = 3_000;

interface Remembered {
  readonly addresses: readonly LookupAddress[];
  readonly until: number;
}

/** Resolves a name like `dns.lookup` with `all`. */
type SystemLookup = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface AddressMemoryOptions {
  /** Resolves names; defaults to the system. */
  readonly lookup?: SystemLookup;
  /** Creates a resolver that asks the name servers; by default with the present ones of the system. */
  readonly createResolver?: () => Resolver;
  /** Gives milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/**
 * Remembers the addresses of names for their lifetime. The system resolves names, and does not tell how long the result is valid; so the
 * name servers are asked, too, and a result is remembered only if they give the same addresses. Names of the hosts file, of a local
 * network or of this machine are not remembered.
 */
export class AddressMemory {
  readonly #lookup: SystemLookup;
  readonly #createResolver: () => Resolver;
  readonly #now: () => number;
  readonly #remembered = new Map<string, Remembered>();
  /** Questions for the lifetime of a name. A question that was deleted teaches nothing any more. */
  readonly #asking = new Map<string, symbol>();

  constructor(options: AddressMemoryOptions = {}) {
    this.#lookup = options.lookup ?? systemLookup;
    this.#createResolver =
      options.createResolver ?? (() => new Resolver({ timeout: TIMEOUT_MS, tries: 1 }));
    this.#now = options.now ?? (() => performance.now());
  }

  /** Resolves a name like `dns.lookup`, from memory if possible. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    const known = this.#remembered.get(hostname);
    const isUsual = options.all === true && !options.family;
    if (isUsual && known !== undefined && this.#now() < known.until) {
      process.nextTick(callback, null, [...known.addresses]);
      return;
    }
    const startedAt = this.#now();
    this.#lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '', 0);
      if (options.all !== true) {
        return callback(null, addresses[0]?.address ?? '', addresses[0]?.family ?? 0);
      }
      callback(null, addresses);
      if (isUsual) void this.#learn(hostname, { addresses, until: startedAt });
    });
  };

  /** Forgets a name, because a connection to it failed. */
  forget(hostname: string): void {
    this.#remembered.delete(hostname);
    this.#asking.delete(hostname);
  }

  /** Forgets all names, because the network may have changed. */
  forgetAll(): void {
    this.#remembered.clear();
    this.#asking.clear();
  }

  /** Asks for the lifetime of addresses, from the moment of `until` on. */
  async #learn(hostname: string, { addresses, until }: Remembered): Promise<void> {
    if (isLoopback(hostname) || this.#asking.has(hostname)) return;
    const question = Symbol(hostname);
    this.#asking.set(hostname, question);
    const lifetimeMs = await this.#lifetimeMs(hostname, addresses);
    if (this.#asking.get(hostname) !== question) return;
    this.#asking.delete(hostname);
    this.#remembered.set(hostname, { addresses, until: until + lifetimeMs });
  }

  async #lifetimeMs(hostname: string, addresses: readonly LookupAddress[]): Promise<number> {
    const resolver = this.#createResolver();
    const ask = { ttl: true } as const;
    const records = await Promise.all([
      resolver.resolve4(hostname, ask).catch(() => []),
      resolver.resolve6(hostname, ask).catch(() => []),
    ]);
    const ttls = new Map(records.flat().map(({ address, ttl }) => [address, ttl * 1_000]));
    return Math.min(MAX_MS, ...addresses.map(({ address }) => ttls.get(address) ?? 0));
  }
}
