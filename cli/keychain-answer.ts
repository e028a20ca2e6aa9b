import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { callKeychain } from '../host/keys/keychain.ts';
import { parseKeychainCall } from '../host/keys/keychain-call.ts';

/**
 * Makes the call that the first line on standard input tells, writes the answer to standard output and ends the process. It ends
 * without an answer when its input closes: a prompt that waits for a person holds a thread, and an ordinary exit would wait for it.
 */
export async function answerKeychainCall(process: NodeJS.Process): Promise<void> {
  const lines = createInterface({ input: process.stdin });
  lines.once('close', () => process.kill(process.pid, 'SIGKILL'));
  const [line]: string[] = await once(lines, 'line');
  const said = JSON.stringify(await callKeychain(parseKeychainCall(line ?? '')));
  await new Promise((resolve) => process.stdout.write(said, resolve));
  process.exit(0);
}
