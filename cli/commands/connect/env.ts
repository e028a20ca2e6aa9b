import { type Command, Option } from 'commander';
import {
  type ConnectEnvironment,
  ENVIRONMENTS,
  toConnectValues,
} from '../../../gateway/connect/connect.ts';
import { ProgramId } from '../../../shared/connect/connection.ts';
import { quoteForShell } from '../../../shared/shell-quote.ts';
import { envLine, quoteForPowershell } from '../../../shared/client-setup/code-steps.ts';
import { toListenerOrigin } from '../../../shared/connect/further-listener.ts';
import { parseExpiryTime } from '../../arguments/parse-time.ts';
import type { CommandContext } from '../../command-context.ts';
import { makesVideos } from '../../../shared/model-metadata/model-statements.ts';
import { UsageError } from '../../errors.ts';
import { type CommandRepositories, withRepositories } from '../../with-repositories.ts';
import { findListener } from '../listeners.ts';
import { findAddress, listModels, openCommandConnections } from './connections.ts';

interface EnvFlags {
  readonly model?: string;
  readonly smallModel?: string;
  readonly shell: keyof typeof FORMATS;
  readonly lasts: string;
  readonly at?: string;
  readonly json?: boolean;
  readonly data?: string;
}

/** Formats of one variable. */
const FORMATS = {
  sh: (name: string, value: string) => `export ${name}=${quoteForShell(value)}`,
  fish: (name: string, value: string) => `set -gx ${name} ${quoteForFish(value)}`,
  powershell: (name: string, value: string) => `$env:${name} = ${quoteForPowershell(value)}`,
  dotenv: envLine,
} as const;

/** Defines `gatehouse env`, which prints the variables that connect a program or a library in one terminal. */
export function addEnvCommand(program: Command, context: CommandContext): void {
  const { command } = context;
  program
    .command('env [client]')
    .description('print variables that connect a library or a program, with a temporary local key')
    .option('--model <id>', 'model, for programs that need one')
    .option('--small-model <id>', 'model for small tasks (default: the same)')
    .addOption(
      new Option('--shell <kind>', 'form of the output')
        .choices(Object.keys(FORMATS))
        .default('sh'),
    )
    .option('--lasts <time>', 'time for which the key is valid: 12h, 7d', '1d')
    .option('--at <name>', 'for a further listener (see: listeners)')
    .option('--json', 'print JSON')
    .option('--data <dir>', 'data folder')
    .addHelpText(
      'after',
      `\nWithout a name it lists those there are.\nExamples:\n  eval "$(${command} env openai)"\n  ${command} env anthropic --shell dotenv >> .env`,
    )
    .action(async (name: string | undefined, flags: EnvFlags) => {
      if (name === undefined) await listEnvironments(context, flags);
      else {
        await withRepositories(context, flags.data, async (repositories) => {
          await printEnvironment(context, repositories, name, flags);
        });
      }
    });
}

async function listEnvironments(
  { terminal }: CommandContext,
  { json = false }: Pick<EnvFlags, 'json'>,
): Promise<void> {
  const all: readonly (readonly [string, ConnectEnvironment])[] = Object.entries(ENVIRONMENTS);
  if (json) {
    terminal.printJson({
      environments: all.map(([id, { name, checked }]) => ({ id, name, checked })),
    });
    return;
  }
  await terminal.printTable({
    head: ['Name', 'For', 'Variables'],
    rows: all.map(([id, { name, checked }]) => [
      id,
      name,
      checked === 'tried' ? 'tried' : 'from its documentation',
    ]),
  });
}

function findEnvironment(name: string, command: string): ConnectEnvironment {
  const all: Readonly<Record<string, ConnectEnvironment>> = ENVIRONMENTS;
  const found = Object.hasOwn(all, name) ? all[name] : undefined;
  if (found !== undefined) return found;
  throw new UsageError(
    `There are no variables for “${name}”. List those there are: ${command} env`,
  );
}

async function printEnvironment(
  context: CommandContext,
  repositories: CommandRepositories,
  name: string,
  flags: EnvFlags,
): Promise<void> {
  const { terminal, command } = context;
  const environment = findEnvironment(name, command);
  const now = repositories.host.now();
  const until = parseExpiryTime(flags.lasts, now);
  if (until === null) {
    throw new UsageError('A temporary key ends: give --lasts a time such as 12h or 7d.');
  }
  const root = await findRoot(context, repositories, flags.at);
  const { models } = await listModels(context, repositories);
  const valuesOf = (key: string) =>
    toConnectValues({
      root,
      key,
      models,
      model: flags.model ?? '',
      smallModel: flags.smallModel ?? flags.model ?? '',
    });
  if (
    flags.model === undefined &&
    Object.values(environment.variables(valuesOf('key'))).includes('')
  ) {
    const texts = models.filter((model) => !makesVideos(model));
    const some = texts.slice(0, 5).map(({ id }) => id);
    throw new UsageError(`Name the model: --model ID. The service has ${some.join(', ')}.`);
  }
  // A program that can be connected is one client, so that its limits hold for every way to start it.
  const program = ProgramId.safeParse(name);
  const clientName = program.success
    ? await (
        await openCommandConnections(context, repositories, models)
      ).findClientName(program.data)
    : `${environment.name} (env)`;
  const { key } = await repositories.clients.addTemporaryKey(clientName, until - now);
  const variables = environment.variables(valuesOf(key));
  if (environment.weakFor !== undefined) {
    terminal.printError(
      `The settings files of ${environment.name} win over these variables. This wins over both: ${command} run -- ${environment.weakFor}`,
    );
  }
  if (flags.json === true) {
    terminal.printJson({ variables });
    return;
  }
  const format = FORMATS[flags.shell];
  for (const [variable, value] of Object.entries(variables))
    terminal.print(format(variable, value));
}

/** Returns the address of the proxy, as it is on this machine or at a further listener. @throws UsageError when there is no such listener */
async function findRoot(
  context: CommandContext,
  repositories: CommandRepositories,
  at: string | undefined,
): Promise<string> {
  const root = await findAddress(context, repositories);
  if (at === undefined) return root;
  const { furtherListeners } = repositories.settings.current();
  const listener = findListener(furtherListeners, at);
  if (listener !== undefined) return toListenerOrigin(listener, Number(new URL(root).port));
  throw new UsageError(`There is no listener “${at}”. List them: ${context.command} listeners`);
}

/** In single quotes of fish only a backslash and a single quote have a meaning (https://fishshell.com/docs/current/language.html#quotes). */
function quoteForFish(text: string): string {
  return `'${text.replaceAll(/[\\']/gu, String.raw`\$&`)}'`;
}
