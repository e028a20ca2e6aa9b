import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { basename, join } from 'node:path';
import { type Command, Option } from 'commander';
import {
  findCommand,
  findEnvironmentByCommand,
  findProgramByCommand,
  type ProgramStart,
  toConnectValues,
} from '../../../gateway/connect/connect.ts';
import { withoutCredentials } from '../../../shared/exchange/sender.ts';
import { runProgram, startInTerminal } from '../../../host/process/child-process.ts';
import type { CommandContext } from '../../command-context.ts';
import { CommandError, ProgramExit, UsageError } from '../../errors.ts';
import { type CommandRepositories, withRepositories } from '../../with-repositories.ts';
import { findModel, findState, type ProgramToSetUp } from './connect.ts';
import { listModels, openCommandConnections } from './connections.ts';
import {
  chooseWhenOff,
  findRunning,
  refuseDisconnected,
  startInBackground,
  WHEN_OFF,
  type WhenOff,
} from './when-off.ts';

interface RunFlags {
  readonly model?: string;
  readonly smallModel?: string;
  readonly name?: string;
  readonly whenOff?: WhenOff;
  readonly data?: string;
}

const DAY_MS = 24 * 3_600_000;
/** The key ends with the program, and at the latest after this time when this process was killed before. */
const KEY_LASTS_MS = 7 * DAY_MS;
/** The program starts without the address of its repository after this time. */
const GIT_MS = 3_000;
const MAX_ADDRESS = 1_000;
/** A program that was ended by a signal has this exit code plus its number, as in shells. */
const SIGNAL_BASE = 128;

/** Defines `gatehouse run`, which starts a program that uses Gatehouse without any change of its settings. */
export function addRunCommand(program: Command, context: CommandContext): void {
  const { command } = context;
  program
    .command('run <program...>')
    .description('start a program that uses Gatehouse, with a local key that ends with it')
    .passThroughOptions()
    .option('--model <id>', 'model that the program uses')
    .option('--small-model <id>', 'model for its small tasks (default: the same)')
    .option(
      '--name <client>',
      'client whose history and limits it uses (default: that of the program)',
    )
    .addOption(
      new Option(
        '--when-off <action>',
        'when no Gatehouse runs: start one, start the program directly, or stop (default: ask in a terminal, or else stop)',
      ).choices(WHEN_OFF),
    )
    .option('--data <dir>', 'data folder')
    .addHelpText(
      'after',
      `\nNo file is changed: the address and the key are in the environment of this one start.\nExamples:\n  ${command} run -- claude\n  ${command} run --model example/model -- codex exec "Fix the tests"`,
    )
    .action(async (words: string[], flags: RunFlags) => await run(context, words, flags));
}

interface Started {
  /** The local key of this start; `null` for a program that is started without Gatehouse. */
  readonly key: string | null;
  readonly program: string;
  readonly start: ProgramStart;
}

async function run(context: CommandContext, words: string[], flags: RunFlags): Promise<void> {
  const [word = '', ...args] = words;
  const path = findExecutable(context, word);
  const { key, program, start } = await withRepositories(
    context,
    flags.data,
    async (repositories) => await prepare(context, repositories, path, flags),
  );
  try {
    await runToEnd(context, { program, args: [...start.args, ...args] }, start.environment);
  } finally {
    if (key !== null) {
      await withRepositories(context, flags.data, async ({ clients }) => {
        await clients.removeTemporaryKey(key);
      });
    }
  }
}

function findExecutable({ environment }: CommandContext, word: string): string {
  const found = findCommand(word, { environment, platform: process.platform });
  if (found !== null) return found;
  throw new CommandError(
    /[/\\]/u.test(word)
      ? `“${word}” is no program that can be started.`
      : `There is no program “${word}” in PATH.`,
  );
}

/** Prepares one start: with the Gatehouse that runs, or as the person chose where none does. @throws CommandError when nothing is to be started */
async function prepare(
  context: CommandContext,
  repositories: CommandRepositories,
  program: string,
  flags: RunFlags,
): Promise<Started> {
  const { dataDir } = repositories.host;
  const running = await findRunning(context, dataDir);
  if (running !== null)
    return await startWith(
      running.port,
      repositories,
      await plan(context, repositories, program, flags),
    );
  const word = basename(program);
  switch (flags.whenOff ?? (await chooseWhenOff(context, word))) {
    case 'start': {
      // What can fail or be left comes first: others may use the Gatehouse as soon as it runs.
      const planned = await plan(context, repositories, program, flags);
      return await startWith(await startInBackground(context, dataDir), repositories, planned);
    }
    case 'direct':
      await refuseDisconnected(context, repositories, word);
      context.terminal.printError(`${word} is started without Gatehouse, which is off.`);
      return { key: null, program, start: { environment: {}, args: [] } };
    case 'stop':
      throw new CommandError(
        `No Gatehouse is running here. Start it first: ${context.command} serve, or add --when-off start.`,
      );
  }
}

/** Returns the program that can be connected; `null` for another one. @throws UsageError when it takes nothing from its start */
function requireStart(
  { command }: CommandContext,
  program: string,
): ReturnType<typeof findProgramByCommand> {
  const known = findProgramByCommand(basename(program));
  if (known === null || known.start !== undefined) return known;
  throw new UsageError(
    `${known.name} takes its address from its settings only. Connect it instead: ${command} connect ${known.id}`,
  );
}

/** One start of a program with Gatehouse, without its key. */
interface PlannedStart {
  readonly program: string;
  readonly known: ReturnType<typeof findProgramByCommand>;
  readonly named: ReturnType<typeof findEnvironmentByCommand>;
  /** Name of its client. */
  readonly name: string;
  readonly project: string;
  readonly models: Awaited<ReturnType<typeof listModels>>['models'];
  /** Ids of models. */
  readonly model: string;
  readonly smallModel: string;
}

/** Finds out what a start needs; asks for the model where nobody has named one. */
async function plan(
  context: CommandContext,
  repositories: CommandRepositories,
  program: string,
  flags: RunFlags,
): Promise<PlannedStart> {
  const known = requireStart(context, program);
  const named = findEnvironmentByCommand(basename(program));
  const { models, fault } = await listModels(context, repositories);
  const model = flags.model ?? (await chooseModel());
  // A program that can be connected is one client, so that its limits hold for every way to start it.
  const name = flags.name ?? (await findName());
  const project = await findProject(process.cwd(), context);
  const smallModel = flags.smallModel ?? model;
  return { program, known, named, name, project, models, model, smallModel };

  async function findName(): Promise<string> {
    if (named !== null) return `${named.name} (env)`;
    if (known === null) return `${basename(program).slice(0, 50)} (run)`;
    const connections = await openCommandConnections(context, repositories, models);
    return await connections.findClientName(known.id);
  }

  async function chooseModel(): Promise<string> {
    const asking = await findAsking();
    if (asking === null) return '';
    return await findModel(context, repositories, { program: asking, models, fault, flags: {} });
  }

  async function findAsking(): Promise<ProgramToSetUp | null> {
    if (known !== null) {
      const connections = await openCommandConnections(context, repositories, models);
      return await findState(connections, known.id);
    }
    if (named === null) return null;
    return { name: named.name, protocol: named.protocols[0], connection: null };
  }
}

/** Creates the key and the environment of a start with the Gatehouse that runs at this port. */
async function startWith(
  port: number,
  { clients }: CommandRepositories,
  { program, known, named, name, project, models, model, smallModel }: PlannedStart,
): Promise<Started> {
  const { key } = await clients.addTemporaryKey(name, KEY_LASTS_MS, project);
  const root = `http://127.0.0.1:${port}`;
  const values = toConnectValues({ root, key, models, model, smallModel });
  const variables = named?.variables(values) ?? toCommonVariables(values);
  const start = known?.start?.(values) ?? { environment: variables, args: [] };
  return { key, program, start };
}

/** Returns the address of the repository of a folder; its top folder where it has no address, and the folder itself where it is in none. */
async function findProject(
  folder: string,
  { environment }: Pick<CommandContext, 'environment'>,
): Promise<string> {
  const { platform } = process;
  const git = findCommand('git', { environment, platform });
  if (git === null || isPlaceholder(git, platform)) return folder;
  const ask = async (...args: readonly string[]) => {
    const line = { program: git, args: ['-C', folder, ...args] };
    return await runProgram(line, { timeout: GIT_MS, windowsHide: true }).catch(() => '');
  };
  const [remotes, topLine] = await Promise.all([
    ask('config', '--null', '--get-regexp', String.raw`^remote\..*\.url$`),
    ask('rev-parse', '--show-toplevel'),
  ]);
  const top = topLine.trim() || folder;
  const addresses = remotes.split('\0').map((entry) => entry.split('\n', 2));
  const [, address] =
    addresses.find(([name]) => name === 'remote.origin.url') ?? addresses[0] ?? [];
  if (address === undefined || address === '') return top;
  const isRelative = address.startsWith('./') || address.startsWith('../');
  const whole = isRelative ? join(top, address) : withoutCredentials(address);
  return whole.slice(0, MAX_ADDRESS);
}

/** macOS has a program that asks a person to install git where it is not installed. */
function isPlaceholder(git: string, platform: NodeJS.Platform): boolean {
  const installed = ['/Library/Developer/CommandLineTools', '/Applications/Xcode.app'];
  return (
    platform === 'darwin' && git === '/usr/bin/git' && !installed.some((path) => existsSync(path))
  );
}

/** The variables that the libraries of the two common protocols read. */
function toCommonVariables({
  root,
  v1,
  key,
}: {
  readonly root: string;
  readonly v1: string;
  readonly key: string;
}): Record<string, string> {
  return {
    OPENAI_BASE_URL: v1,
    OPENAI_API_KEY: key,
    ANTHROPIC_BASE_URL: root,
    ANTHROPIC_AUTH_TOKEN: key,
    ANTHROPIC_API_KEY: key,
  };
}

const ignore = () => undefined;

/** Runs a program in this terminal. @throws ProgramExit with its exit code unless that is 0; CommandError when it does not start */
async function runToEnd(
  { environment }: CommandContext,
  line: { readonly program: string; readonly args: readonly string[] },
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  const child = startInTerminal(line, environment, variables);
  // A terminal sends Ctrl-C to the program itself, which decides; other requests to stop are passed on.
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  process.on('SIGINT', ignore);
  process.on('SIGTERM', pass);
  process.on('SIGHUP', pass);
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', (error) =>
        reject(new CommandError(`${line.program} cannot be started: ${error.message}`)),
      );
      child.once('exit', (exit, signal) =>
        resolve(exit ?? SIGNAL_BASE + (signal === null ? 0 : constants.signals[signal])),
      );
    });
    if (code !== 0) throw new ProgramExit(code);
  } finally {
    process.off('SIGINT', ignore);
    process.off('SIGTERM', pass);
    process.off('SIGHUP', pass);
  }
}
