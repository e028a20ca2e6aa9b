import { Argument, type Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../errors.ts';

/** The topics of `gatehouse help`, each as lines of at most 80 columns. `command` starts this program. */
const TOPICS: Readonly<Record<string, (command: string) => string>> = {
  clients: (command) => `Clients

A client is a program that uses the local address. Each has its own local key,
so that the history says who asked for what, and one can be revoked alone.

  ${command} clients add "my editor"

prints the key once. With --expires 7d it is refused after a week; change that with

  ${command} clients expiry "my editor" 30d

Base addresses for the client:

  Chat Completions, Responses   http://127.0.0.1:6417/v1
  Messages                      http://127.0.0.1:6417

The key is the API key of the client. It is useless outside this machine.
Requests without a valid key are in the history as the client "unknown":

  ${command} history --client unknown`,
  videos: (command) => `Videos

A video is charged when it is ordered. An order is sent once, after you confirm
it or with --yes, and is never repeated without you.

  ${command} video new --image fox.png --prompt "A red fox runs in snow"
  ${command} video list
  ${command} video watch
  ${command} video get ID --out fox.mp4

The queue is on disk: closing, crashes and lost connections lose no video. When
it is unknown whether an order arrived, the video is unsure, and you decide:

  ${command} video list ID

shows what to do, and which choice may cost money.`,
  environment: () => `Environment variables

  GATEHOUSE_UPSTREAM_URL   base address of the service
  GATEHOUSE_UPSTREAM_KEY   service key; overrides a stored one
  GATEHOUSE_LOCAL_KEY      one fixed local key, at least 24 varied characters
  GATEHOUSE_DATA_DIR       data folder
  GATEHOUSE_PORT           port, 6417 unless given
  GATEHOUSE_UI_PORT        port of the window, 6418 unless given
  NO_COLOR                 no colours`,
  'exit-codes': () => `Exit codes

  0   success
  1   failure, or a decision of yours is needed
  2   wrong usage

"history --follow" and "serve" end with 0 after Ctrl-C. "status" ends with 1 when
no Gatehouse runs, and with --ready also when requests cannot succeed; "key
status" when a service key is needed and missing; "doctor" when a check fails;
"ask" when the answer is missing, incomplete or stopped.`,
};

/** Defines `gatehouse help`, which explains a topic or a command. */
export function addHelpCommand(program: Command, context: CommandContext): void {
  program
    .command('help')
    .description('explain a command or a topic')
    .addArgument(new Argument('[topic...]', 'a topic or a command'))
    .action((topic: readonly string[]) => {
      const [name = ''] = topic;
      const text = topic.length === 1 && Object.hasOwn(TOPICS, name) ? TOPICS[name] : undefined;
      if (text === undefined) findCommand(program, topic).outputHelp();
      else context.terminal.print(text(context.command));
    });
}

/** Finds the command that words lead to. @throws UsageError */
function findCommand(program: Command, words: readonly string[]): Command {
  return words.reduce((command, word) => {
    const found = command.commands.find((one) => one.name() === word);
    if (found !== undefined) return found;
    throw new UsageError(
      `There is no such command or topic. Topics: ${Object.keys(TOPICS).join(', ')}.`,
    );
  }, program);
}
