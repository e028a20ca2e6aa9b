import { AsyncEntry } from '@napi-rs/keyring';
import type { KeychainAnswer, KeychainCall } from './keychain-call.ts';

/** The service name of our entries in the system's keychain. */
const KEYCHAIN_SERVICE = 'gatehouse';

/** Makes one call to the keychain in this process. Never rejects. A call cannot be cancelled while a prompt waits for a person. */
export async function callKeychain(call: KeychainCall): Promise<KeychainAnswer> {
  const startedAt = performance.now();
  try {
    // Without a pinned store, Linux falls back to the kernel's keyring, which is emptied at every restart.
    const entry = new AsyncEntry(KEYCHAIN_SERVICE, call.account, {
      linux: { store: 'secret-service' },
    });
    switch (call.action) {
      case 'read':
        return { secret: await entry.getPassword() };
      case 'write':
        await entry.setPassword(call.secret ?? '');
        return { secret: null };
      case 'remove':
        await entry.deletePassword();
        return { secret: null };
    }
  } catch (error) {
    const failure = error instanceof Error ? error.message : 'no reason given';
    return { failure, tookMs: performance.now() - startedAt };
  }
}
