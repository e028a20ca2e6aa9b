import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import type { Host, LogLevel, SecretStore } from '../gateway/host.ts';
import { redactor } from '../gateway/keys/keys.ts';
import type { Keys } from '../gateway/keys/keys.ts';
import { openKeyFile } from './key-file.ts';
import { openLog } from './log.ts';

/** What a shell lends the gateway. */
export interface GuardedHost extends Host {
  /** Service keys in plain text, for systems without a keychain. */
  readonly keyFile: SecretStore;
  /** Keeps the keys of this service out of the log from now on. */
  guard(keys: Pick<Keys, 'current'>): void;
  /** Those keys, as they are now. */
  serviceKeys(): readonly string[];
}

export interface HostOptions {
  readonly dataDir: string;
  readonly secrets: SecretStore;
  readonly command: string | null;
  readonly logLevel: LogLevel;
  /** Takes one line of the log without its line end. */
  readonly writeLog: (line: string) => void;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  /** Keys of the environment: they are kept out of the log from the start. */
  readonly environmentKeys?: { readonly service?: string; readonly local?: string };
}

/** Puts together what the gateway reaches for, with a log that holds no secret. */
export function openHost(options: HostOptions): GuardedHost {
  const { dataDir, secrets, command, logLevel, writeLog, now, environmentKeys = {} } = options;
  const guarded: Pick<Keys, 'current'>[] = [];
  const givenKeys = environmentKeys.service === undefined ? [] : [environmentKeys.service];
  const serviceKeys = () => [...givenKeys, ...guarded.flatMap((keys) => keys.current() ?? [])];
  const localKeys = environmentKeys.local === undefined ? [] : [environmentKeys.local];
  const redactService = redactor(serviceKeys);
  const redactLocal = redactor(() => localKeys, '<local key>');
  return {
    dataDir,
    secrets,
    keyFile: openKeyFile(dataDir),
    command,
    log: openLog({
      level: logLevel,
      write: writeLog,
      redact: (line) => redactLocal(redactService(line)),
      now,
    }),
    now,
    uptime: () => uptime() * 1000,
    bootId: readBootId(),
    randomBytes,
    guard: (keys) => void guarded.push(keys),
    serviceKeys,
  };
}

/** Only Linux tells it (https://man7.org/linux/man-pages/man4/random.4.html). */
function readBootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined;
  }
}
