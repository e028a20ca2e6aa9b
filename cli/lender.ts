import type { Lender } from '../gateway/gateway.ts';
import { openLentSandbox, type PlannedPorts } from '../hosting/lent-sandbox.ts';
import type { GuardedHost } from '../hosting/host.ts';
import { describePortHolder } from '../hosting/port.ts';
import { reveal } from './reveal.ts';
import { openServiceKey } from './service.ts';
import { openKeptKey } from '../hosting/kept-key.ts';
import type { Shell } from './shell.ts';

export interface LenderOptions {
  readonly host: GuardedHost;
  /** Base address of the service that this run begins with; `null` for the sandbox. */
  readonly service: string | null;
  /** The service key that was asked for at the start. */
  readonly thisRunKey?: string;
  readonly ports: PlannedPorts;
  readonly onPort: (port: number) => void;
}

/** What the command line lends a gateway. A key of this run or of the environment is for the service of the start and no other. */
export function openLender(shell: Shell, options: LenderOptions): Lender {
  const { host, service, thisRunKey, ports, onPort } = options;
  return {
    openServiceKey: async (account) =>
      account === service
        ? await openServiceKey(shell, {
            host,
            account,
            ...(thisRunKey === undefined ? {} : { thisRunKey }),
          })
        : await openKeptKey(host, account),
    openSandbox: async () => await openLentSandbox(host, ports),
    describePortHolder,
    reveal: async (path) => await reveal(path, shell.environment),
    onPort,
  };
}
