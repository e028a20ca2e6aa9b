import type { Keys } from './keys/keys.ts';

/** A sandbox that runs here. */
export interface SandboxHandle {
  /** Its base address. */
  readonly url: string;
  /** The one service key that it takes. */
  readonly key: string;
  close(): Promise<void>;
}

/** By which HTTP proxy the system wants an address reached: its origin, or `null` for none. */
export interface SystemProxy {
  readonly proxyUrl: string | null;
  /** Why not by the proxy that the system names, in words for people: it is of a kind that Gatehouse cannot use. */
  readonly reason: string | null;
}

/** What only a shell can do. The gateway closes what it was lent. */
export interface PlatformAdapter {
  /** The service key of the upstream with this base address. @throws UnusableKey */
  openServiceKey(baseUrl: string): Promise<Keys>;
  openSandbox(): Promise<SandboxHandle>;
  /** Who listens on a port, in words such as `node (pid 12)`. */
  describePortOwner?(port: number): Promise<string>;
  /** Shows a file of this disk in the file manager. @throws Refused when there is none. */
  reveal?(path: string): Promise<void>;
  /** Asked when connections to a service are made that has no proxy of its own, and again from time to time. */
  proxyFor?(url: string): Promise<SystemProxy>;
  /** Told when the proxy has moved to another port. */
  onPortChange?(port: number): void;
}
