import { buffer } from 'node:stream/consumers';
import { CommandError, UsageError } from '../errors.ts';

const MAX_INPUT_LENGTH = 64 * 1024;

/**
 * Reads a secret: from a hidden prompt when a person sits at the terminal, otherwise from standard input to its end.
 * @throws CommandError when the person changes their mind. @throws UsageError when standard input is empty or huge.
 */
export async function readSecret(message: string, input: NodeJS.ReadStream): Promise<string> {
  if (!input.isTTY) {
    return await readPipedSecret(input);
  }
  // Loaded only here: most starts never ask for anything.
  const { isCancel, password } = await import('@clack/prompts');
  const answer = await password({ message, input, output: process.stderr, withGuide: false });
  if (isCancel(answer)) {
    throw new CommandError('Nothing was changed.');
  }
  return answer;
}

/** Asks a yes-or-no question at the terminal; a cancelled question means no. `stop` takes the question back. */
export async function askToConfirm(message: string, signal: AbortSignal): Promise<boolean> {
  const { confirm } = await import('@clack/prompts');
  // Only `true` is a yes: a cancelled prompt yields a symbol.
  return (await confirm({ message, output: process.stderr, withGuide: false, signal })) === true;
}

async function readPipedSecret(input: NodeJS.ReadStream): Promise<string> {
  const bytes = await buffer(input);
  if (bytes.length > MAX_INPUT_LENGTH) {
    throw new UsageError('Standard input holds far more than a key.');
  }
  const text = bytes.toString('utf8');
  if (text.trim() === '') {
    throw new UsageError('Standard input held no key. Pipe one in, as with: < key.txt');
  }
  return text;
}
