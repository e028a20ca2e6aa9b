import { readFile } from 'node:fs/promises';
import { Command, CommanderError } from 'commander';
import { ClientError, InvalidLocalKeyError } from '../gateway/clients/clients.ts';
import { PortAccessError } from '../gateway/gateway.ts';
import { DiskError } from '../gateway/lib/disk.ts';
import { InvalidKeyError } from '../gateway/keys/keys.ts';
import { NotFoundError, UserError } from '../gateway/errors.ts';
import { StoreError } from '../gateway/store/store.ts';
import { removeKeyVariables, type CommandLine } from '../host/process/child-process.ts';
import { InvalidBaseUrlError } from '../gateway/upstreams/upstreams.ts';
import { addClientCommands } from './commands/clients.ts';
import { detectCommandName } from './process/command-name.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addHistoryCommands } from './commands/history.ts';
import { addKeyCommands } from './commands/key.ts';
import { addModelCommands } from './commands/models.ts';
import { addOpenCommand } from './commands/open.ts';
import { CommandError, UsageError } from './errors.ts';
import { addServeCommand } from './commands/serve.ts';
import { addRestoreCommand } from './commands/restore.ts';
import { keychainProgram } from './process/keychain.ts';
import { readEnvSettings, type CommandContext } from './command-context.ts';
import { addStatusCommand } from './commands/status.ts';
import { openTerminal } from './output/terminal.ts';
import { addVideoCommands } from './commands/video/video.ts';

const EXIT_CODES_HELP = { ok: 0, failed: 1, usage: 2 } as const;

const afterHelp = (command: string) => `
Start here:
  try it with the sandbox
    ${command} serve
  use your own service
    ${command} key set --upstream https://models.example.com
  a local key for one more program
    ${command} clients add "my editor"
  a video from an image
    ${command} video new --image fox.png --prompt "A red fox runs in snow"

Environment:
  GATEHOUSE_UPSTREAM_URL   base address of the service
  GATEHOUSE_UPSTREAM_KEY   service key; overrides a stored one
  GATEHOUSE_LOCAL_KEY      one fixed local key, at least 24 varied characters
  GATEHOUSE_DATA_DIR       data folder
  GATEHOUSE_PORT           port, 6417 unless given
  GATEHOUSE_UI_PORT        port of the window, 6418 unless given
  NO_COLOR                 no colours

Exit codes: 0 success, 1 failure or a decision is needed, 2 wrong usage.`;

/**
 * Runs one command line to its end and exits with the exit code that `--help` documents. `keychain` is the program that makes one call
 * to the keychain.
 */
export async function runProgram(
  process: NodeJS.Process,
  keychain: CommandLine = keychainProgram(),
): Promise<void> {
  const envSettings = readEnvSettings(process.env);
  // From here on keys are in the settings only, and no child process can inherit them.
  removeKeyVariables(process.env);
  const context: CommandContext = {
    terminal: openTerminal(process),
    input: process.stdin,
    args: process.argv.slice(2),
    command: detectCommandName(process.argv[1], process.env),
    environment: process.env,
    keychain,
    envSettings,
    now: Date.now,
  };
  const code = await run(context);
  await new Promise((resolve) => process.stdout.write('', resolve));
  process.exit(
    code === EXIT_CODES_HELP.ok && context.terminal.hasLostOutput ? EXIT_CODES_HELP.failed : code,
  );
}

async function run(context: CommandContext): Promise<number> {
  try {
    await (await buildProgram(context)).parseAsync(context.args, { from: 'user' });
    return EXIT_CODES_HELP.ok;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? EXIT_CODES_HELP.ok : EXIT_CODES_HELP.usage;
    }
    const { code, message } = toExitError(error);
    if (message !== '') {
      context.terminal.printError(message);
    }
    return code;
  }
}

function toExitError(error: unknown): { readonly code: number; readonly message: string } {
  if (
    error instanceof UsageError ||
    error instanceof InvalidBaseUrlError ||
    error instanceof InvalidKeyError ||
    error instanceof InvalidLocalKeyError
  ) {
    return { code: EXIT_CODES_HELP.usage, message: error.message };
  }
  if (
    error instanceof CommandError ||
    error instanceof ClientError ||
    error instanceof StoreError ||
    error instanceof DiskError ||
    error instanceof PortAccessError ||
    error instanceof UserError ||
    error instanceof NotFoundError
  ) {
    return { code: EXIT_CODES_HELP.failed, message: error.message };
  }
  const trace =
    error instanceof Error
      ? (error.stack ?? error.message)
      : 'A value that is not an error was thrown.';
  return { code: EXIT_CODES_HELP.failed, message: `This is an error in Gatehouse.\n${trace}` };
}

async function buildProgram(context: CommandContext): Promise<Command> {
  const version = await readVersion();
  const program = new Command(context.command)
    .description('One local address for one account at a remote model service.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .showHelpAfterError('Run it with --help for its usage.')
    .addHelpText('after', afterHelp(context.command))
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.terminal.print(text.replace(/\n$/u, '')),
      outputError: (text) => context.terminal.printError(withoutArguments(text.trimEnd())),
    });
  addServeCommand(program, context, version);
  addOpenCommand(program, context);
  addKeyCommands(program, context);
  addClientCommands(program, context);
  addModelCommands(program, context);
  addHistoryCommands(program, context);
  addVideoCommands(program, context, version);
  addStatusCommand(program, context);
  addDoctorCommand(program, context);
  addRestoreCommand(program, context);
  return program;
}

/**
 * Returns commander's message about a wrong call, without the typed text: that may be a misplaced key, which must not be repeated in a
 * log or on a shared screen. Names of our commands and options are kept.
 */
function withoutArguments(text: string): string {
  return text
    .replace(/(unknown (?:option|command)) '.*'/su, '$1')
    .replace(/( argument) '.*'( is invalid)/su, '$1$2')
    .replace(/(but got \d+): .*$/su, '$1.');
}

async function readVersion(): Promise<string> {
  // The sources and the bundle are at different depths below the package's folder.
  const depth = import.meta.url.endsWith('.ts') ? '../package.json' : '../../package.json';
  const json: unknown = JSON.parse(await readFile(new URL(depth, import.meta.url), 'utf8'));
  return typeof json === 'object' && json !== null && 'version' in json
    ? String(json.version)
    : '0';
}
