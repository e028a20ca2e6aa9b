import { randomBytes } from 'node:crypto';
import type { Host, LogLevel } from '../gateway/host.ts';
import { redactor } from '../gateway/keys/keys.ts';
import type { Keys } from '../gateway/keys/keys.ts';
import { openLog } from './log.ts';
import { openKeychain } from './secrets.ts';
import type { Shell } from './shell.ts';

/** What the command line lends the gateway. */
export interface CliHost extends Host {
  /** Keeps the keys of this service out of the log from now on. */
  guard(keys: Pick<Keys, 'current'>): void;
}

export interface HostOptions {
  readonly dataDir: string;
  readonly logLevel: LogLevel;
}

export function openHost(shell: Shell, { dataDir, logLevel }: HostOptions): CliHost {
  const guarded: Pick<Keys, 'current'>[] = [];
  const { upstreamKey, localKey } = shell.settings;
  const serviceKeys = upstreamKey === undefined ? [] : [upstreamKey];
  const localKeys = localKey === undefined ? [] : [localKey];
  const redactService = redactor(() => [
    ...serviceKeys,
    ...guarded.flatMap((keys) => keys.current() ?? []),
  ]);
  const redactLocal = redactor(() => localKeys, '<local key>');
  return {
    dataDir,
    secrets: openKeychain(shell.environment),
    command: shell.command,
    log: openLog({
      level: logLevel,
      write: shell.terminal.writeLog,
      redact: (line) => redactLocal(redactService(line)),
      now: shell.now,
    }),
    now: shell.now,
    randomBytes,
    guard: (keys) => void guarded.push(keys),
  };
}
