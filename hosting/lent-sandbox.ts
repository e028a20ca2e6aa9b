import { join } from 'node:path';
import type { LentSandbox } from '../gateway/lender.ts';
import { openSandbox } from '../sandbox/server.ts';
import type { GuardedHost } from './host.ts';

/** The sandbox likes an address that stays the same from start to start, well away from ours. */
const SANDBOX_OFFSET = 10;

/** Ports as planned; 0 for any free one. */
export interface PlannedPorts {
  readonly port: number;
  /** That of the window, which opens later; `null` without one. */
  readonly windowPort: number | null;
}

/** Starts the sandbox near the port of the proxy, but not at that of the window. */
export async function openLentSandbox(
  host: GuardedHost,
  { port, windowPort }: PlannedPorts,
): Promise<LentSandbox> {
  const near = port + SANDBOX_OFFSET;
  const usual = near === windowPort ? near + 1 : near;
  const kept = {
    folder: join(host.dataDir, 'sandbox'),
    log: (message: string) => host.log('warn', message),
  };
  // The usual port is a wish: another program may have it.
  const sandbox = await openSandbox({ port: port === 0 ? 0 : usual, ...kept }).catch(
    async () => await openSandbox(kept),
  );
  host.guard({ current: () => sandbox.key });
  return sandbox;
}
