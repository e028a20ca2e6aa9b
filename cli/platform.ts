import type { PlatformAdapter } from '../gateway/gateway.ts';
import type { PlannedPorts } from '../host/embedded-sandbox.ts';
import type { RedactingHost } from '../host/host.ts';
import { readProgramVersion } from '../host/process/program-version.ts';
import { findUserPlace } from '../host/user-place.ts';
import { describePortOwner } from '../host/process/port-owner.ts';
import { reveal } from './process/reveal.ts';
import { openServiceKey } from './service.ts';
import { openStoredKey } from '../host/keys/stored-key.ts';
import type { CommandContext } from './command-context.ts';

export interface PlatformOptions {
  readonly host: RedactingHost;
  /** Base address of the service that this run starts with; `null` for the sandbox. */
  readonly service: string | null;
  /** The service key that was typed at the start. */
  readonly thisRunKey?: string;
  readonly ports: PlannedPorts;
  readonly onPortChange: (port: number) => void;
}

/** Creates the platform adapter of the command line. A key of this run or of the environment is used only for the service of the start. */
export function createPlatformAdapter(
  context: CommandContext,
  options: PlatformOptions,
): PlatformAdapter {
  const { host, service, thisRunKey, ports, onPortChange } = options;
  return {
    openServiceKey: async (account) =>
      account === service
        ? await openServiceKey(context, {
            host,
            account,
            ...(thisRunKey === undefined ? {} : { thisRunKey }),
          })
        : await openStoredKey(host, account),
    openSandbox: async () => {
      const { openEmbeddedSandbox } = await import('../host/embedded-sandbox.ts');
      return await openEmbeddedSandbox(host, ports);
    },
    describePortOwner,
    reveal: async (path) => await reveal(path, context.environment),
    onPortChange,
    readProgramVersion: async (path) => await readProgramVersion(path, context.environment),
    place: findUserPlace(context.environment),
  };
}
