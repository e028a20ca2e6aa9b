import { type Keys, openKeys, type Patience } from '../gateway/keys/keys.ts';
import type { GuardedHost } from './host.ts';

/** The service key of a service (`account`: its base address) from where this machine keeps it: keychain or file. */
export async function openKeptKey(
  host: GuardedHost,
  account: string,
  patience: Partial<Patience> = {},
): Promise<Keys> {
  const { secrets, keyFile, log } = host;
  const keys = await openKeys({ secrets, log, account, fileStore: keyFile, patience });
  host.guard(keys);
  return keys;
}
