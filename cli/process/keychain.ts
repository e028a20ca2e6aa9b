import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { SecretStore } from '../../gateway/host.ts';
import { type CommandLine, startProgram } from '../../host/process/child-process.ts';
import {
  parseKeychainAnswer,
  type KeychainAnswer,
  type KeychainCall,
} from '../../host/keys/keychain-call.ts';
import { createSecretStore } from '../../host/keys/secret-store.ts';

/**
 * Creates the keychain of this system. Each call is made in a short-lived process: an unanswered unlock prompt holds a thread which
 * cannot be cancelled, and this process would have to wait for it at its exit. The secret passes through pipes only. Calls never reject.
 */
export function createKeychain(
  environment: NodeJS.ProcessEnv,
  program: CommandLine = keychainProgram(),
): SecretStore {
  return createSecretStore((call) => callKeychainProcess(call, program, environment));
}

/** The program that makes a call to the keychain, where Node.js runs this one. */
export function keychainProgram(): CommandLine {
  const file = import.meta.url.endsWith('.ts')
    ? new URL('./keychain-process.ts', import.meta.url)
    : new URL('./keychain-process.js', import.meta.url);
  return { program: process.execPath, args: [fileURLToPath(file)] };
}

async function callKeychainProcess(
  call: KeychainCall,
  program: CommandLine,
  environment: NodeJS.ProcessEnv,
): Promise<KeychainAnswer> {
  const child = startProgram(program, {
    env: environment,
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
  // The input stays open: when this process ends first, it closes and the child ends too, with any prompt.
  child.stdin.on('error', () => child.kill());
  child.stdin.write(`${JSON.stringify(call)}\n`);
  const failed = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(JSON.stringify({ failure: error.message })));
  });
  const output = await Promise.race([text(child.stdout), failed]);
  return parseKeychainAnswer(output) ?? { failure: 'the keychain process ended without a result' };
}
