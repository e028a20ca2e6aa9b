import type { UserPlace } from './connect/connect.ts';
import type { Keys } from './keys/keys.ts';

/** A running sandbox. */
export interface SandboxHandle {
  /** The base address of the sandbox. */
  readonly url: string;
  /** The one service key that it accepts. */
  readonly key: string;
  close(): Promise<void>;
}

/** The HTTP proxy that the system names for an address: its origin, or `null` for none. */
export interface SystemProxy {
  readonly proxyUrl: string | null;
  /** Why the proxy of the system is not used, for people; `null` when it is, or there is none. */
  readonly reason: string | null;
}

/** Functions that only a shell has. The gateway closes what they open. */
export interface PlatformAdapter {
  /** Opens the service key of the upstream with this base address. @throws InvalidKeyError */
  openServiceKey(baseUrl: string): Promise<Keys>;
  openSandbox(): Promise<SandboxHandle>;
  /** Describes the program that listens on a port, such as `node (pid 12)`; `null` when it is not known. */
  describePortOwner?(port: number): Promise<string>;
  /** Shows a file of this disk in the file manager. @throws UserError when there is none. */
  reveal?(path: string): Promise<void>;
  /** Asks the system for the proxy of an address, when connections are opened and from time to time. */
  proxyFor?(url: string): Promise<SystemProxy>;
  /** Asks a program, by its path, for its version; `null` when it does not tell. Never rejects. */
  readProgramVersion?(path: string): Promise<string | null>;
  /** The account of the person whose programs can be connected. */
  readonly place?: UserPlace;
  /** Is called when the proxy has moved to another port. */
  onPortChange?(port: number): void;
}
