import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import { answerKeychainCall } from '../cli/keychain-answer.ts';
import { runProgram } from '../cli/program.ts';
import { ignoreDebugSignal } from '../host/process/debug-signal.ts';
import { type Call, KEYCHAIN_CALL } from './call.ts';
import { endAsNode } from './end-as-node.ts';

/** Runs a call in the packed program to its end, as Node.js would run it, and ends the process. */
export async function runCall(call: Call): Promise<void> {
  ignoreDebugSignal();
  endAsNode();
  const own: NodeJS.Process = Object.create(process, { stdin: { value: openInput() } });
  if (call.kind === 'keychain') return await answerKeychainCall(own);
  process.argv = [process.execPath, 'gatehouse', ...call.args];
  await runProgram(own, { program: process.execPath, args: KEYCHAIN_CALL });
}

/** Standard input. Electron on Windows puts an empty stream into its place (lib/common/init.ts), so it is opened by its number there. */
function openInput(): Readable {
  if (process.platform !== 'win32') return process.stdin;
  return isatty(0) ? new ReadStream(0) : createReadStream('', { fd: 0 });
}
