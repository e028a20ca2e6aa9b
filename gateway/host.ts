/** What a shell (command line, desktop) lends the gateway. The gateway reaches for none of these by itself. */
export interface Host {
  /** Absolute path of the data folder; it exists and only its owner may enter. */
  readonly dataDir: string;
  readonly secrets: SecretStore;
  readonly log: Log;
  /** Wall clock, Unix time in milliseconds. */
  readonly now: () => number;
  /** Milliseconds since this machine was started, with those it slept: a clock that nobody sets and that goes on between two runs. */
  readonly uptime: () => number;
  /** Names what `uptime` counts from: another one after each start of the machine. Absent where the system does not tell. */
  readonly bootId?: string | undefined;
  /** How a person calls the command line, as a message names it; `gatehouse` unless given, `null` where there is none. */
  readonly command?: string | null;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

/** The operating system's keychain, or what stands in for it. `account` names whose secret it is. */
export interface SecretStore {
  read(account: string): Promise<SecretRead>;
  write(account: string, secret: string): Promise<SecretWrite>;
  remove(account: string): Promise<SecretWrite>;
}

/**
 * `locked`: it is there but a person must unlock it. `unavailable`: this system offers no keychain. `reason` is shown to the user.
 * `tookMs`: so long the keychain itself took to fail, where that is known.
 */
export type SecretRead =
  | { readonly state: 'found'; readonly secret: string }
  | { readonly state: 'absent' }
  | {
      readonly state: 'locked' | 'unavailable';
      readonly reason: string;
      readonly tookMs?: number;
    };

export type SecretWrite =
  | { readonly state: 'done' }
  | { readonly state: 'locked' | 'unavailable'; readonly reason: string };

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** The application log. Secrets are removed where it is written, but do not hand it any. */
export type Log = (
  level: LogLevel,
  message: string,
  fields?: Record<string, string | number>,
) => void;
