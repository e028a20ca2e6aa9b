import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type Command, CommanderError } from 'commander';
import { removeKeyVariables, type CommandLine } from '../host/process/child-process.ts';
import { detectCommandName } from './process/command-name.ts';
import { keychainProgram } from './process/keychain.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { readEnvSettings, type CommandContext } from './command-context.ts';
import { openTerminal } from './output/terminal.ts';
import { rewriteUsageError, SafeCommand } from './safe-command.ts';

/** Timeout for writing the rest of the messages at the end, in milliseconds. */
const ERRORS_MS = 1_000;

const afterHelp = (command: string) => `
Start here:
  try it with the sandbox
    ${command} serve
  use your own service
    ${command} key set --upstream https://models.example.com
  a local key for one more program
    ${command} clients add "my editor"

More: ${command} help TOPIC
  Topics: clients, videos, environment, exit-codes
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
  const errorsWritten = new Promise((resolve) => process.stderr.write('', resolve));
  // Nobody may be reading them.
  await Promise.race([errorsWritten, pause(ERRORS_MS)]);
  process.exit(code === EXIT_CODES.ok && context.terminal.hasLostOutput ? EXIT_CODES.failed : code);
}

async function run(context: CommandContext): Promise<number> {
  try {
    await (await buildProgram(context)).parseAsync(context.args, { from: 'user' });
    return EXIT_CODES.ok;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage;
    }
    // The classes of errors are loaded only here, because they are in all parts of the gateway.
    const { toExitError } = await import('./exit-error.ts');
    const { code, message } = toExitError(error);
    if (message !== '') {
      context.terminal.printError(message);
    }
    return code;
  }
}

type AddCommands = (program: Command, context: CommandContext, version: string) => void;
type LoadCommands = () => Promise<AddCommands>;

const loadPause: LoadCommands = async () => (await import('./commands/pause.ts')).addPauseCommands;

/** Loads the definitions of commands, in the groups and the order of the help, by the first word of the command line. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, LoadCommands>>>> = {
  'Run:': {
    serve: async () => (await import('./commands/serve.ts')).addServeCommand,
    open: async () => (await import('./commands/open.ts')).addOpenCommand,
    status: async () => (await import('./commands/status.ts')).addStatusCommand,
    stop: async () => (await import('./commands/stop.ts')).addStopCommand,
    pause: loadPause,
    resume: loadPause,
    sandbox: async () => (await import('./commands/sandbox.ts')).addSandboxCommand,
  },
  'Use:': {
    run: async () => (await import('./commands/connect/run.ts')).addRunCommand,
    env: async () => (await import('./commands/connect/env.ts')).addEnvCommand,
    use: async () => (await import('./commands/aliases/use.ts')).addUseCommand,
    ask: async () => (await import('./commands/ask/ask.ts')).addAskCommand,
    replay: async () => (await import('./commands/replay/replay.ts')).addReplayCommand,
    video: async () => (await import('./commands/video/video.ts')).addVideoCommands,
    models: async () => (await import('./commands/models.ts')).addModelCommands,
  },
  'Set up:': {
    key: async () => (await import('./commands/key.ts')).addKeyCommands,
    listeners: async () => (await import('./commands/listeners.ts')).addListenerCommands,
    services: async () => (await import('./commands/services.ts')).addServiceCommands,
    connect: async () => (await import('./commands/connect/connect.ts')).addConnectCommand,
    disconnect: async () => (await import('./commands/connect/disconnect.ts')).addDisconnectCommand,
    clients: async () => (await import('./commands/clients.ts')).addClientCommands,
    aliases: async () => (await import('./commands/aliases/aliases.ts')).addAliasCommands,
    prices: async () => (await import('./commands/prices/prices.ts')).addPriceCommands,
    limits: async () => (await import('./commands/limits.ts')).addLimitCommands,
    completion: async () =>
      (await import('./commands/completion/completion.ts')).addCompletionCommand,
  },
  'Look back:': {
    history: async () => (await import('./commands/history/history.ts')).addHistoryCommand,
    show: async () => (await import('./commands/history/show.ts')).addShowCommand,
    runs: async () => (await import('./commands/runs/runs.ts')).addRunsCommand,
    mark: async () => (await import('./commands/history/changes/mark.ts')).addMarkCommand,
    delete: async () => (await import('./commands/history/changes/delete.ts')).addDeleteCommand,
    usage: async () => (await import('./commands/history/usage.ts')).addUsageCommand,
    export: async () => (await import('./commands/history/export.ts')).addExportCommand,
  },
  'Repair and explain:': {
    doctor: async () => (await import('./commands/doctor.ts')).addDoctorCommand,
    restore: async () => (await import('./commands/restore.ts')).addRestoreCommand,
    help: async () => (await import('./commands/help.ts')).addHelpCommand,
  },
};

/** Commands that describe all others. */
const NEED_ALL: ReadonlySet<string> = new Set(['completion', 'help']);

/** Adds one command when the command line begins with its name, otherwise all: each takes time to load. */
async function addCommands(
  program: Command,
  context: CommandContext,
  version: string,
): Promise<void> {
  const [first = ''] = context.args;
  const isOne =
    !NEED_ALL.has(first) && Object.values(GROUPS).some((group) => Object.hasOwn(group, first));
  for (const [title, group] of Object.entries(GROUPS)) {
    const loaders = Object.entries(group)
      .filter(([name]) => !isOne || name === first)
      .map(([, load]) => load);
    program.commandsGroup(title);
    const added = await Promise.all([...new Set(loaders)].map((load) => load()));
    for (const add of added) add(program, context, version);
  }
}

async function buildProgram(context: CommandContext): Promise<Command> {
  const version = await readVersion();
  const program = new SafeCommand(context.command)
    .description('One local address for one account at a remote model service.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .configureHelp({ subcommandTerm: toHelpTerm })
    .showHelpAfterError('Run it with --help for its usage.')
    .showSuggestionAfterError()
    .enablePositionalOptions()
    .addHelpText('after', afterHelp(context.command))
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.terminal.print(text.replace(/\n$/u, '')),
      outputError: (text) => context.terminal.printError(rewriteUsageError(text.trimEnd())),
    });
  await addCommands(program, context, version);
  return program;
}

/** Returns a command with its arguments for a list. Every command has options, so that is not repeated. */
function toHelpTerm(command: Command): string {
  const names = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name();
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [command.name(), ...names].join(' ');
}

async function readVersion(): Promise<string> {
  // The sources and the bundle are at different depths below the package's folder.
  const depth = import.meta.url.endsWith('.ts') ? '../package.json' : '../../package.json';
  const json: unknown = JSON.parse(await readFile(new URL(depth, import.meta.url), 'utf8'));
  return typeof json === 'object' && json !== null && 'version' in json
    ? String(json.version)
    : '0';
}
