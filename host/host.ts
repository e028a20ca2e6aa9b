import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import type { Host, LogLevel, SecretStore } from '../gateway/host.ts';
import { createRedactor, type Keys } from '../gateway/keys/keys.ts';
import { openKeyFile } from './keys/key-file.ts';
import { createLog } from './log/log.ts';

/** The host of a gateway, with a key file and a log that hides service keys. */
export interface RedactingHost extends Host {
  /** Service keys in plain text, for systems without a keychain. */
  readonly keyFile: SecretStore;
  /** Redacts the keys of this service from the log from now on. */
  redactKeys(keys: Pick<Keys, 'current'>): void;
  /** The keys of the current service. */
  serviceKeys(): readonly string[];
}

export interface HostOptions {
  readonly dataDir: string;
  readonly secrets: SecretStore;
  readonly command: string | null;
  readonly logLevel: LogLevel;
  /** Writes one line of the log, which is passed without its line end. */
  readonly writeLog: (line: string) => void;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  /** Keys from the environment. They are redacted from the start. */
  readonly environmentKeys?: { readonly service?: string; readonly local?: string };
}

/** Creates the host that the gateway uses, with a log that contains no secret. */
export function createHost(options: HostOptions): RedactingHost {
  const { dataDir, secrets, command, logLevel, writeLog, now, environmentKeys = {} } = options;
  const redactedKeys: Pick<Keys, 'current'>[] = [];
  const givenKeys = environmentKeys.service === undefined ? [] : [environmentKeys.service];
  const serviceKeys = () => [...givenKeys, ...redactedKeys.flatMap((keys) => keys.current() ?? [])];
  const localKeys = environmentKeys.local === undefined ? [] : [environmentKeys.local];
  const redactService = createRedactor(serviceKeys);
  const redactLocal = createRedactor(() => localKeys, { mask: '<local key>' });
  return {
    dataDir,
    secrets,
    keyFile: openKeyFile(dataDir),
    command,
    log: createLog({
      level: logLevel,
      write: writeLog,
      redact: (line) => redactLocal(redactService(line)),
      now,
    }),
    now,
    uptime: () => uptime() * 1000,
    bootId: readBootId(),
    randomBytes,
    redactKeys: (keys) => void redactedKeys.push(keys),
    serviceKeys,
  };
}

/** Reads the boot id, which only Linux provides (https://man7.org/linux/man-pages/man4/random.4.html). */
function readBootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined;
  }
}
