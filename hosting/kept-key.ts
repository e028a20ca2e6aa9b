import { type Keys, openKeys, type Patience } from '../gateway/keys/keys.ts';
import type { GuardedHost } from './host.ts';
import { openKeyFile } from './key-file.ts';

/** The service key of a service (`account`: its base address) from where this machine keeps it: keychain or file. */
export async function openKeptKey(
  host: GuardedHost,
  account: string,
  patience: Partial<Patience> = {},
): Promise<Keys> {
  const { secrets, log, dataDir } = host;
  const fileStore = openKeyFile(dataDir);
  const keys = await openKeys({ secrets, log, account, fileStore, patience });
  host.guard(keys);
  return keys;
}
