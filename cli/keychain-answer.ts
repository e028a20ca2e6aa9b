import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { callKeychain } from '../host/keys/keychain.ts';
import { parseKeychainCall } from '../host/keys/keychain-call.ts';

/**
 * Makes the keychain call in the first line of standard input, writes the result to standard output and exits. Exits without a result
 * when its input closes: a prompt that waits for a person holds a thread, and an ordinary exit would wait for it.
 */
export async function answerKeychainCall(process: NodeJS.Process): Promise<void> {
  const lines = createInterface({ input: process.stdin });
  lines.once('close', () => process.kill(process.pid, 'SIGKILL'));
  const [line]: string[] = await once(lines, 'line');
  const result = JSON.stringify(await callKeychain(parseKeychainCall(line ?? '')));
  await new Promise((resolve) => process.stdout.write(result, resolve));
  process.exit(0);
}
