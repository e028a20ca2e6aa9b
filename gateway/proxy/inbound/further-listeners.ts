import { Mutex } from 'async-mutex';
import { readOwnAddresses } from '../../lib/own-addresses.ts';
import type { PortListener } from './listener.ts';

/** Interval in which the addresses of this machine are compared with those that are wanted. */
const CHECK_MS = 10_000;
const NO_ADDRESS = 'This machine does not have this address now.';

export interface FurtherListenersOptions {
  /** Listens at one address. @throws PortInUseError, PortAccessError, or the error of the system */
  readonly open: (address: string, port: number) => Promise<PortListener>;
  /** Is called when the problem of an address may have changed. */
  readonly onChange: () => void;
}

/**
 * Listeners at further addresses of this machine, all on the port of the proxy. An address that comes later, such as that of the network
 * of containers, is listened at as soon as it is there.
 */
export class FurtherListeners {
  readonly #options: FurtherListenersOptions;
  readonly #mutex = new Mutex();
  readonly #open = new Map<string, PortListener>();
  readonly #retired = new Set<PortListener>();
  readonly #problems = new Map<string, string>();
  #wanted: readonly string[] = [];
  #port = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: FurtherListenersOptions) {
    this.#options = options;
  }

  /** Listens at these addresses, and at no others; exchanges in flight elsewhere finish. What is not possible is tried again. */
  async listen(addresses: readonly string[], port: number): Promise<void> {
    this.#wanted = addresses;
    this.#port = port;
    clearInterval(this.#timer);
    if (addresses.length > 0 && !this.#closed)
      this.#timer = setInterval(() => void this.#update(), CHECK_MS).unref();
    await this.#update();
  }

  /** Says why nothing can connect to an address now; `null` when it is listened at. */
  problemOf(address: string): string | null {
    if (this.#open.has(address)) return null;
    return this.#problems.get(address) ?? 'It is being opened.';
  }

  /** Accepts no new connections. */
  stop(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const listener of this.#open.values()) listener.stopAccepting();
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    this.stop();
    await this.#mutex.runExclusive(async () => {
      const all = [...this.#open.values(), ...this.#retired];
      await Promise.all(all.map((listener) => listener.close()));
    });
  }

  async #update(): Promise<void> {
    await this.#mutex.runExclusive(async () => {
      if (this.#closed) return;
      const own = this.#wanted.length === 0 ? [] : readOwnAddresses();
      // While the system does not tell the addresses, open listeners stay, and opening shows whether an address is there.
      const isPresent = (wanted: string) =>
        own === null || own.some(({ address }) => address === wanted);
      const before = this.#describe();
      for (const [address, listener] of this.#open) {
        const isRight = listener.port === this.#port && this.#wanted.includes(address);
        if (!isRight || !isPresent(address)) this.#retire(address, listener);
      }
      this.#problems.clear();
      for (const address of this.#wanted) {
        if (this.#open.has(address)) continue;
        if (isPresent(address)) await this.#openAt(address);
        else this.#problems.set(address, NO_ADDRESS);
      }
      if (this.#describe() !== before) this.#options.onChange();
    });
  }

  async #openAt(address: string): Promise<void> {
    try {
      const listener = await this.#options.open(address, this.#port);
      if (this.#closed) listener.stopAccepting();
      this.#open.set(address, listener);
    } catch (error) {
      this.#problems.set(address, error instanceof Error ? error.message : String(error));
    }
  }

  #retire(address: string, listener: PortListener): void {
    this.#open.delete(address);
    this.#retired.add(listener);
    void listener.drain(0).finally(() => this.#retired.delete(listener));
  }

  #describe(): string {
    return JSON.stringify([[...this.#open.keys()].toSorted(), [...this.#problems]]);
  }
}
