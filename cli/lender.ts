import { join } from 'node:path';
import type { Lender } from '../gateway/gateway.ts';
import { openSandbox } from '../sandbox/server.ts';
import type { CliHost } from './host.ts';
import { describePortHolder } from './port.ts';
import { reveal } from './reveal.ts';
import { openKeptKey, openServiceKey } from './service.ts';
import type { Shell } from './shell.ts';

export interface LenderOptions {
  readonly host: CliHost;
  /** Base address of the service that this run begins with; `null` for the sandbox. */
  readonly service: string | null;
  /** The service key that was asked for at the start. */
  readonly thisRunKey?: string;
  /** The port of the proxy, as planned. 0 for any free one. */
  readonly port: number;
  readonly onPort: (port: number) => void;
}

/** The sandbox likes an address that stays the same from start to start, well away from ours. */
const SANDBOX_OFFSET = 10;

/** What the command line lends a gateway. A key of this run or of the environment is for the service of the start and no other. */
export function openLender(shell: Shell, options: LenderOptions): Lender {
  const { host, service, thisRunKey, port, onPort } = options;
  return {
    openServiceKey: async (account) =>
      account === service
        ? await openServiceKey(shell, {
            host,
            account,
            ...(thisRunKey === undefined ? {} : { thisRunKey }),
          })
        : await openKeptKey(host, account),
    openSandbox: async () => {
      const usual = port === 0 ? 0 : port + SANDBOX_OFFSET;
      const kept = {
        folder: join(host.dataDir, 'sandbox'),
        log: (message: string) => host.log('warn', message),
      };
      // The usual port is a wish: another program may have it.
      const sandbox = await openSandbox({ port: usual, ...kept }).catch(
        async () => await openSandbox(kept),
      );
      host.guard({ current: () => sandbox.key });
      return sandbox;
    },
    describePortHolder,
    reveal: async (path) => await reveal(path, shell.environment),
    onPort,
  };
}
