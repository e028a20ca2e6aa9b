import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import { answerKeychainCall } from '../cli/keychain-answer.ts';
import { runCommand } from '../cli/run-command.ts';
import { ignoreDebugSignal } from '../host/process/debug-signal.ts';
import { type Call, KEYCHAIN_CALL } from './call.ts';
import { endAsNode } from './end-as-node.ts';

/** Runs a call in the packed program to its end, as Node.js would, and exits. */
export async function runCall(call: Call): Promise<void> {
  ignoreDebugSignal();
  endAsNode();
  const own: NodeJS.Process = Object.create(process, { stdin: { value: openInput() } });
  if (call.kind === 'keychain') return await answerKeychainCall(own);
  process.argv = [process.execPath, 'gatehouse', ...call.args];
  await runCommand(own, { program: process.execPath, args: KEYCHAIN_CALL });
}

/** Opens standard input by its number, because Electron on Windows replaces it by an empty stream (lib/common/init.ts). */
function openInput(): Readable {
  if (process.platform !== 'win32') return process.stdin;
  return isatty(0) ? new ReadStream(0) : createReadStream('', { fd: 0 });
}
