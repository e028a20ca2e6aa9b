import type { SecretStore } from '../../../gateway/host.ts';

/** A keychain in memory whose content tests can read. */
export interface FakeKeychain extends SecretStore {
  readonly stored: ReadonlyMap<string, string>;
}

export function createFakeKeychain(secrets: Readonly<Record<string, string>> = {}): FakeKeychain {
  const stored = new Map(Object.entries(secrets));
  return {
    stored,
    read: (account) => {
      const secret = stored.get(account);
      return Promise.resolve(
        secret === undefined ? { state: 'absent' } : { state: 'found', secret },
      );
    },
    write: (account, secret) => {
      stored.set(account, secret);
      return Promise.resolve({ state: 'done' });
    },
    remove: (account) => {
      stored.delete(account);
      return Promise.resolve({ state: 'done' });
    },
  };
}
