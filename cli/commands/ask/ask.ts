import { fstatSync } from 'node:fs';
import { Option, type Command } from 'commander';
import { askOnce, type OneAnswer } from '../../../gateway/chat/chat.ts';
import { TextProtocol } from '../../../shared/chat/chat.ts';
import type { CommandContext } from '../../command-context.ts';
import { withEngine } from '../../engine-client.ts';
import { CommandError, UsageError } from '../../errors.ts';
import { escapeAnswer } from '../../output/format.ts';
import { listenForSignals } from '../../process/signals.ts';
import { type ChosenModel, chooseModel, type ModelFlags } from './choose-model.ts';

interface AskFlags extends ModelFlags {
  readonly system?: string;
  readonly json?: boolean;
  readonly data?: string;
}

const MAX_INPUT_BYTES = 8 * 1024 * 1024;

const help = (command: string) => `
The running Gatehouse sends it as the client "Terminal". Standard input is added
to the prompt. Without --model, the model that last answered you here or in the
chat is asked, or else the first one of the list; its name goes to standard error.

Examples:
  ${command} ask "What is a reverse proxy?" --model aurora/aurora-large
  git diff | ${command} ask "Review this change"`;

/** Defines `gatehouse ask`, which sends one question to a model and prints the answer as it arrives. */
export function addAskCommand(program: Command, context: CommandContext): void {
  program
    .command('ask')
    .description('ask a model once and print its answer; needs a running Gatehouse')
    .argument('[prompt]', 'the question')
    .option('--model <id>', 'the model to ask')
    .option('--system <text>', 'system prompt')
    .addOption(
      new Option('--protocol <name>', 'protocol; unless given, that of the last answer').choices(
        TextProtocol.options,
      ),
    )
    .option('--json', 'print JSON at the end')
    .option('--data <dir>', 'data folder')
    .addHelpText('after', help(context.command))
    .action(async (prompt: string | undefined, flags: AskFlags) => {
      await ask(context, await readQuestion(context, prompt), flags);
    });
}

/** Joins the prompt and a piped text. @throws UsageError when there is neither */
async function readQuestion({ input }: CommandContext, prompt = ''): Promise<string> {
  const piped = isPiped() ? await readInput(input) : '';
  const question = [prompt, piped].filter((text) => text.trim() !== '').join('\n\n');
  if (question === '') throw new UsageError('Give a question, as an argument or in a pipe.');
  return question;
}

/** Whether standard input is a pipe or a file. */
function isPiped(): boolean {
  try {
    const found = fstatSync(0);
    return found.isFIFO() || found.isFile() || found.isSocket();
  } catch {
    // There is no standard input.
    return false;
  }
}

async function readInput(input: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_INPUT_BYTES) throw new UsageError('Standard input has more than 8 MiB.');
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function ask(context: CommandContext, text: string, flags: AskFlags): Promise<void> {
  const { terminal, command } = context;
  const { signal: stopped } = listenForSignals(terminal, () => undefined);
  const signal = AbortSignal.any([stopped, terminal.outputClosed]);
  const { chosen, vendor, engine, localKey } = await withEngine(
    context,
    flags.data,
    async (running) => ({
      engine: running,
      chosen: await chooseModel(running.calls, flags, command),
      vendor: (await running.calls.status.get()).upstream.versionVendor,
      localKey: (await running.calls.clients.terminal()).key,
    }),
  );
  // A person who named no model sees which one answers and may be charged for.
  if (flags.model === undefined) terminal.printError(`Asking ${chosen.model}.`);
  const question = { ...chosen, system: flags.system ?? '', text };
  const printer = new AnswerPrinter(context, flags.json === true);
  const call = { port: engine.port, localKey, vendor, signal };
  const answer = await askOnce(
    question,
    { ...call, conversation: null, userAgent: 'Gatehouse terminal' },
    async (delta) => await printer.add(delta),
  ).catch((error: unknown) => {
    if (signal.aborted) return null;
    throw new CommandError(`Gatehouse did not answer: ${describe(error)}`, { cause: error });
  });
  await printer.end(answer, chosen);
  if (answer === null) throw new CommandError(terminal.outputClosed.aborted ? '' : 'Stopped.');
  if (answer.problem !== null && flags.json !== true) {
    throw new CommandError(describeProblem(answer));
  }
  if (answer.problem !== null) throw new CommandError('');
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : 'no reason given';
}

function describeProblem({ status, problem }: OneAnswer): string {
  return status < 400 ? (problem ?? '') : `${status}: ${problem ?? ''}`;
}

/** Prints an answer as it arrives, or all of it as JSON at its end. */
class AnswerPrinter {
  readonly #context: CommandContext;
  readonly #json: boolean;
  #text = '';
  #reasoning = '';

  constructor(context: CommandContext, json: boolean) {
    this.#context = context;
    this.#json = json;
  }

  async add({ text, reasoning }: { readonly text: string; readonly reasoning: string }) {
    this.#text += text;
    this.#reasoning += reasoning;
    const { terminal } = this.#context;
    if (this.#json || text === '') return;
    // A program gets the answer unchanged; a terminal must not be steered by it.
    await terminal.write(terminal.columns === null ? text : escapeAnswer(text));
  }

  /** `answer`: `null` when it was stopped. */
  async end(answer: OneAnswer | null, chosen: ChosenModel): Promise<void> {
    const { terminal } = this.#context;
    if (!this.#json) {
      if (this.#text !== '' && !this.#text.endsWith('\n')) await terminal.write('\n');
      return;
    }
    terminal.printJson({
      ...chosen,
      modelServed: answer?.modelServed ?? null,
      text: this.#text,
      reasoning: this.#reasoning,
      finish: answer?.finish ?? null,
      status: answer?.status ?? null,
      problem: answer === null ? 'Stopped.' : answer.problem,
      exchangeId: answer?.exchangeId ?? null,
    });
  }
}
