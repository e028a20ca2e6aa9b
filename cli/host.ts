import type { LogLevel } from '../gateway/host.ts';
import { type GuardedHost, openHost as openGuardedHost } from '../hosting/host.ts';
import { openKeychain } from './secrets.ts';
import type { Shell } from './shell.ts';

export interface HostOptions {
  readonly dataDir: string;
  readonly logLevel: LogLevel;
}

/** What the command line lends the gateway. */
export function openHost(shell: Shell, { dataDir, logLevel }: HostOptions): GuardedHost {
  const { environment, keychain, command, terminal, now } = shell;
  const { upstreamKey, localKey } = shell.settings;
  return openGuardedHost({
    dataDir,
    logLevel,
    secrets: openKeychain(environment, keychain),
    command,
    writeLog: terminal.writeLog,
    now,
    environmentKeys: {
      ...(upstreamKey === undefined ? {} : { service: upstreamKey }),
      ...(localKey === undefined ? {} : { local: localKey }),
    },
  });
}
