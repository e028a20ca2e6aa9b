import { createInterface } from 'node:readline';
import { AsyncEntry } from '@napi-rs/keyring';
import { readKeychainCall } from '../hosting/keychain-call.ts';
import type { KeychainAnswer, KeychainCall } from '../hosting/keychain-call.ts';

/** Under this name the keys stand in the system's keychain. */
const SERVICE = 'gatehouse';

// The first line on standard input is the call; the answer goes to standard output. Whoever asked may lose patience and close the
// input: an unlock prompt then still holds a thread, and an ordinary exit would wait for it.
const lines = createInterface({ input: process.stdin });
lines.once('close', () => process.kill(process.pid, 'SIGKILL'));
lines.once('line', (line) => {
  void reply(line);
});

async function reply(line: string): Promise<void> {
  const said = JSON.stringify(await answer(readKeychainCall(line)));
  process.stdout.write(said, () => process.exit(0));
}

async function answer(call: KeychainCall): Promise<KeychainAnswer> {
  try {
    // Without a pinned store, Linux falls back to the kernel's keyring, which forgets everything at the next start.
    const entry = new AsyncEntry(SERVICE, call.account, { linux: { store: 'secret-service' } });
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
    return { failure: error instanceof Error ? error.message : 'no reason given' };
  }
}
