import type { LogLevel } from '../gateway/host.ts';
import { type RedactingHost, createHost as openGuardedHost } from '../host/host.ts';
import { createKeychain } from './process/keychain.ts';
import type { CommandContext } from './command-context.ts';

export interface HostOptions {
  readonly dataDir: string;
  readonly logLevel: LogLevel;
}

/** Creates the host of the command line. */
export function createCliHost(
  context: CommandContext,
  { dataDir, logLevel }: HostOptions,
): RedactingHost {
  const { environment, keychain, command, terminal, now } = context;
  const { upstreamKey, localKey } = context.envSettings;
  return openGuardedHost({
    dataDir,
    logLevel,
    secrets: createKeychain(environment, keychain),
    command,
    writeLog: terminal.writeLog,
    now,
    environmentKeys: {
      ...(upstreamKey === undefined ? {} : { service: upstreamKey }),
      ...(localKey === undefined ? {} : { local: localKey }),
    },
  });
}
