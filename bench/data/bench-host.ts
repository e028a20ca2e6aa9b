import { randomBytes } from 'node:crypto';
import { uptime } from 'node:os';
import type { Repositories } from '../../gateway/gateway.ts';

/** Creates the host of a data folder, without a keychain. A warning of the engine is thrown. */
export function createBenchHost(dataDir: string): Repositories['host'] {
  const secrets = { read: noKeychain, write: noKeychain, remove: noKeychain };
  return {
    dataDir,
    secrets,
    log: throwOnLog,
    now: Date.now,
    uptime: () => uptime() * 1000,
    randomBytes,
  };
}

function noKeychain() {
  return Promise.resolve({ state: 'unavailable', reason: 'There is no keychain here.' } as const);
}

function throwOnLog(_level: string, message: string): void {
  throw new Error(message);
}
