import { type Keys, openKeys, type KeychainTimeouts } from '../../gateway/keys/keys.ts';
import type { RedactingHost } from '../host.ts';

/** Reads the service key of a service (`account`: its base address) from where this machine stores it: keychain or file. */
export async function openStoredKey(
  host: RedactingHost,
  account: string,
  timeouts: Partial<KeychainTimeouts> = {},
): Promise<Keys> {
  const { secrets, keyFile, log } = host;
  const keys = await openKeys({ secrets, log, account, fileStore: keyFile, timeouts });
  host.redactKeys(keys);
  return keys;
}
