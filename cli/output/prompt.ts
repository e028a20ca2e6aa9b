import { buffer } from 'node:stream/consumers';
import type { CommandContext } from '../command-context.ts';
import { CommandError, UsageError } from '../errors.ts';

const MAX_INPUT_LENGTH = 64 * 1024;

/**
 * Reads a secret: from a hidden prompt on a terminal, otherwise from standard input to its end. @throws CommandError when the person
 * cancels. @throws UsageError when standard input is empty or huge.
 */
export async function readSecret(message: string, input: NodeJS.ReadStream): Promise<string> {
  if (!input.isTTY) {
    return await readPipedSecret(input);
  }
  // It is loaded only here, because most runs do not ask anything.
  const { isCancel, password } = await import('@clack/prompts');
  const answer = await password({ message, input, output: process.stderr, withGuide: false });
  if (isCancel(answer)) {
    throw new CommandError('Nothing was changed.');
  }
  return answer;
}

/** Asks a yes-or-no question on the terminal; a cancelled question means no. `signal` withdraws the question. */
export async function askToConfirm(message: string, signal: AbortSignal): Promise<boolean> {
  const { confirm } = await import('@clack/prompts');
  // Only `true` means yes: a cancelled prompt returns a symbol.
  return (await confirm({ message, output: process.stderr, withGuide: false, signal })) === true;
}

/** Lets a person choose one of several values by typing a part of it. @throws CommandError when the person cancels */
export async function askToChoose(message: string, values: readonly string[]): Promise<string> {
  const { autocomplete, isCancel } = await import('@clack/prompts');
  const options = values.map((value) => ({ value, label: value }));
  const answer = await autocomplete({ message, options, output: process.stderr, withGuide: false });
  if (isCancel(answer)) throw new CommandError('Nothing was changed.');
  return answer;
}

/** Lets a person choose one of a few values. @throws CommandError when the person cancels */
export async function askToChooseOne<Value extends string>(
  message: string,
  options: readonly { readonly value: Value; readonly label: string }[],
): Promise<Value> {
  const { isCancel, select } = await import('@clack/prompts');
  const answer = await select<string>({
    message,
    options: [...options],
    output: process.stderr,
    withGuide: false,
  });
  const chosen = options.find(({ value }) => value === answer);
  if (isCancel(answer) || chosen === undefined) throw new CommandError('Nothing was changed.');
  return chosen.value;
}

/** Asks before something that cannot be undone. @throws UsageError where nobody can answer; CommandError when the answer is no */
export async function requireConfirmation(
  { terminal }: CommandContext,
  question: string,
): Promise<void> {
  if (!terminal.interactive) {
    throw new UsageError('This needs a confirmation: add --yes where nobody can answer.');
  }
  if (!(await askToConfirm(question, new AbortController().signal))) {
    throw new CommandError('Nothing was changed.');
  }
}

async function readPipedSecret(input: NodeJS.ReadStream): Promise<string> {
  const bytes = await buffer(input);
  if (bytes.length > MAX_INPUT_LENGTH) {
    throw new UsageError('Standard input contains much more than a key.');
  }
  const text = bytes.toString('utf8');
  if (text.trim() === '') {
    throw new UsageError('Standard input contained no key. Pipe one in, for example: < key.txt');
  }
  return text;
}
