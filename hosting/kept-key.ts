import { type Keys, openKeys } from '../gateway/keys/keys.ts';
import type { GuardedHost } from './host.ts';
import { openKeyFile } from './key-file.ts';

/** The service key of a service (`account`: its base address) from where this machine keeps it: keychain or file. */
export async function openKeptKey(host: GuardedHost, account: string): Promise<Keys> {
  const { secrets, log, dataDir } = host;
  const keys = await openKeys({ secrets, log, account, fileStore: openKeyFile(dataDir) });
  host.guard(keys);
  return keys;
}
