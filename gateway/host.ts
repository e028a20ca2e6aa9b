/** The dependencies that a shell (command line, desktop) gives the gateway, which accesses none of these otherwise. */
export interface Host {
  /** Absolute path of the data folder. It exists, and only its owner can access it. */
  readonly dataDir: string;
  readonly secrets: SecretStore;
  readonly log: Log;
  /** Gives the Unix time in milliseconds. */
  readonly now: () => number;
  /** Gives the milliseconds since this machine was started, with its sleep: a clock that nobody can set and that continues between runs. */
  readonly uptime: () => number;
  /** The id of this start of the machine, from which `uptime` counts. Absent where the system has none. */
  readonly bootId?: string | undefined;
  /** The command of the command line for messages; defaults to `gatehouse`, `null` where there is none. */
  readonly command?: string | null;
  /** Gives cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

/** The keychain of the operating system, or a replacement. `account` names the owner of a secret. */
export interface SecretStore {
  read(account: string): Promise<SecretRead>;
  write(account: string, secret: string): Promise<SecretWrite>;
  remove(account: string): Promise<SecretWrite>;
}

/**
 * The answer of a keychain. `locked`: a person must unlock it. `unavailable`: this system has no keychain. `reason` is shown to the user.
 * `tookMs`: the time in milliseconds after which the keychain itself failed, where that is known.
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

/** Writes to the application log. Secrets are redacted there, but callers must not pass any. */
export type Log = (
  level: LogLevel,
  message: string,
  fields?: Record<string, string | number>,
) => void;
