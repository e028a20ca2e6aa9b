import { createInterface } from 'node:readline';
import { ignoreDebugSignal } from '../hosting/debug-signal.ts';
import { callKeychain } from '../hosting/keychain.ts';
import { readKeychainCall } from '../hosting/keychain-call.ts';

ignoreDebugSignal();
// The first line on standard input is the call; the answer goes to standard output. Whoever asked may lose patience and close the
// input: an unlock prompt then still holds a thread, and an ordinary exit would wait for it.
const lines = createInterface({ input: process.stdin });
lines.once('close', () => process.kill(process.pid, 'SIGKILL'));
lines.once('line', (line) => {
  void reply(line);
});

async function reply(line: string): Promise<void> {
  const said = JSON.stringify(await callKeychain(readKeychainCall(line)));
  process.stdout.write(said, () => process.exit(0));
}
