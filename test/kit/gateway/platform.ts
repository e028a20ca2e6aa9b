import type { PlatformAdapter } from '../../../gateway/gateway.ts';
import type { Keys } from '../../../gateway/keys/keys.ts';
import { openSandbox } from '../../../sandbox/server.ts';

/** Creates a platform with these keys for every upstream and a sandbox on a free port. */
export function createTestPlatform(keys: Keys): PlatformAdapter {
  return { openServiceKey: () => Promise.resolve(keys), openSandbox: () => openSandbox() };
}
