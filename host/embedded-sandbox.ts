import { join } from 'node:path';
import type { SandboxHandle } from '../gateway/platform.ts';
import { openSandbox } from '../sandbox/server.ts';
import type { RedactingHost } from './host.ts';

/** The sandbox prefers a port that is the same at every start and away from ours. */
const SANDBOX_PORT_OFFSET = 10;

/** Ports as configured; 0 for any free one. */
export interface PlannedPorts {
  readonly port: number;
  /** The port of the window, which opens later; `null` without one. */
  readonly windowPort: number | null;
}

/** Starts the sandbox near the port of the proxy, but not on that of the window. */
export async function openEmbeddedSandbox(
  host: RedactingHost,
  { port, windowPort }: PlannedPorts,
): Promise<SandboxHandle> {
  const near = port + SANDBOX_PORT_OFFSET;
  const usual = near === windowPort ? near + 1 : near;
  const persisted = {
    folder: join(host.dataDir, 'sandbox'),
    log: (message: string) => host.log('warn', message),
  };
  // The preferred port is optional: another program may use it.
  const sandbox = await openSandbox({ port: port === 0 ? 0 : usual, ...persisted }).catch(
    async () => await openSandbox(persisted),
  );
  host.redactKeys({ current: () => sandbox.key });
  return sandbox;
}
