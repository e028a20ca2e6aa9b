import { join } from 'node:path';
import type { LentSandbox } from '../gateway/lender.ts';
import { openSandbox } from '../sandbox/server.ts';
import type { GuardedHost } from './host.ts';

/** The sandbox likes an address that stays the same from start to start, well away from ours. */
const SANDBOX_OFFSET = 10;

/** Starts the sandbox near the port of the proxy (0: at any free one). */
export async function openLentSandbox(host: GuardedHost, port: number): Promise<LentSandbox> {
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
}
