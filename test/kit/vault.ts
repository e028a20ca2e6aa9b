import type { SecretStore } from '../../gateway/host.ts';

/** A keychain in memory, that tells what it keeps. */
export interface Vault extends SecretStore {
  readonly kept: ReadonlyMap<string, string>;
}

export function openVault(secrets: Readonly<Record<string, string>> = {}): Vault {
  const kept = new Map(Object.entries(secrets));
  return {
    kept,
    read: (account) => {
      const secret = kept.get(account);
      return Promise.resolve(
        secret === undefined ? { state: 'absent' } : { state: 'found', secret },
      );
    },
    write: (account, secret) => {
      kept.set(account, secret);
      return Promise.resolve({ state: 'done' });
    },
    remove: (account) => {
      kept.delete(account);
      return Promise.resolve({ state: 'done' });
    },
  };
}
