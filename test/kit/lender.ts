import type { Lender } from '../../gateway/gateway.ts';
import type { Keys } from '../../gateway/keys/keys.ts';
import { openSandbox } from '../../sandbox/server.ts';

/** Lends these keys for every upstream, and a sandbox on a free port. */
export function lend(keys: Keys): Lender {
  return { openServiceKey: () => Promise.resolve(keys), openSandbox: () => openSandbox() };
}
