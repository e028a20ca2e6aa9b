import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { basename, join } from 'node:path';
import type { Command } from 'commander';
import {
  findCommand,
  findProgramByCommand,
  type ProgramStart,
  toConnectValues,
} from '../../../gateway/connect/connect.ts';
import { withoutCredentials } from '../../../shared/exchange/sender.ts';
import type { ProgramId } from '../../../shared/connect/connection.ts';
import { readLockOwner } from '../../../host/lock/instance-lock.ts';
import { runProgram, startInTerminal } from '../../../host/process/child-process.ts';
import type { CommandContext } from '../../command-context.ts';
import { CommandError, ProgramExit, UsageError } from '../../errors.ts';
import { type CommandRepositories, withRepositories } from '../../with-repositories.ts';
import { findModel, findState } from './connect.ts';
import { listModels, openCommandConnections } from './connections.ts';

interface RunFlags {
  readonly model?: string;
  readonly smallModel?: string;
  readonly name?: string;
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
    .option('--data <dir>', 'data folder')
    .addHelpText(
      'after',
      `\nNo file is changed: the address and the key are in the environment of this one start.\nExamples:\n  ${command} run -- claude\n  ${command} run --model example/model -- codex exec "Fix the tests"`,
    )
    .action(async (words: string[], flags: RunFlags) => await run(context, words, flags));
}

interface Started {
  readonly key: string;
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
    await withRepositories(context, flags.data, async ({ clients }) => {
      await clients.removeTemporaryKey(key);
    });
  }
}

function findExecutable({ environment }: CommandContext, word: string): string {
  if (word.includes('/') || word.includes('\\')) return word;
  const found = findCommand(word, { environment, platform: process.platform });
  if (found === null) throw new CommandError(`There is no program “${word}” in PATH.`);
  return found;
}

/** Creates the key and the environment of one start. @throws CommandError when no Gatehouse runs */
async function prepare(
  context: CommandContext,
  repositories: CommandRepositories,
  program: string,
  flags: RunFlags,
): Promise<Started> {
  const { command } = context;
  const owner = await readLockOwner(repositories.host.dataDir);
  if (owner === null || owner.port === null) {
    throw new CommandError(`No Gatehouse is running here. Start it first: ${command} serve`);
  }
  const known = findProgramByCommand(basename(program));
  if (known !== null && known.start === undefined) {
    throw new UsageError(
      `${known.name} takes its address from its settings only. Connect it instead: ${command} connect ${known.id}`,
    );
  }
  const { models, fault } = await listModels(context, repositories);
  const model = flags.model ?? (known === null ? '' : await chooseModel(known.id));
  // A program that can be connected is one client, so that its limits hold for every way to start it.
  const name = flags.name ?? (await findName());
  const project = await findProject(process.cwd(), context);
  const { key } = await repositories.clients.addTemporaryKey(name, KEY_LASTS_MS, project);
  const values = toConnectValues({
    root: `http://127.0.0.1:${owner.port}`,
    key,
    models,
    model,
    smallModel: flags.smallModel ?? model,
  });
  const start = known?.start?.(values) ?? { environment: toCommonVariables(values), args: [] };
  return { key, program, start };

  async function findName(): Promise<string> {
    if (known === null) return `${basename(program).slice(0, 50)} (run)`;
    const connections = await openCommandConnections(context, repositories, models);
    return await connections.findClientName(known.id);
  }

  async function chooseModel(programId: ProgramId): Promise<string> {
    const connections = await openCommandConnections(context, repositories, models);
    const state = await findState(connections, programId);
    return await findModel(context, repositories, { program: state, models, fault, flags: {} });
  }
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
