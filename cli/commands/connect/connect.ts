import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { ClientTool } from '../../../shared/client-setup/client-tool.ts';
import { TOOLS } from '../../../shared/client-setup/tools.ts';
import {
  type ConnectionChoice,
  ProgramId,
  type ProgramState,
} from '../../../shared/connect/connection.ts';
import { ANSWERED } from '../../../shared/history/history.ts';
import { makesVideos } from '../../../shared/model-metadata/model-statements.ts';
import type { Model } from '../../../shared/model.ts';
import { toPattern } from '../../../shared/name-pattern.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import { type Connections, ENVIRONMENTS } from '../../../gateway/connect/connect.ts';
import type { CommandContext } from '../../command-context.ts';
import { CommandError, UsageError } from '../../errors.ts';
import { askToChoose, requireConfirmation } from '../../output/prompt.ts';
import {
  type CommandRepositories,
  withHistory,
  withRepositories,
} from '../../with-repositories.ts';
import { findServiceInUse } from '../../service-in-use.ts';
import { describeUnknown, listModels, openCommandConnections } from './connections.ts';
import { printPrograms } from './print-programs.ts';
import { printPreview } from './print-change.ts';
import { printRecipe } from './print-recipe.ts';

interface ConnectFlags {
  readonly model?: string;
  readonly smallModel?: string;
  readonly project?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly data?: string;
}

/** Defines `gatehouse connect`, which changes the settings of a program so that it uses Gatehouse. */
export function addConnectCommand(program: Command, context: CommandContext): void {
  const { command } = context;
  program
    .command('connect [client]')
    .description('set a program up to use Gatehouse; without a name, list the programs')
    .option('--model <id>', 'model that the program uses')
    .option('--small-model <id>', 'model for its small tasks (default: the same)')
    .option('--project <dir>', 'change the settings of a project instead of your own')
    .option('--dry-run', 'show the change and make none')
    .option('--yes', 'ask nothing')
    .option('--json', 'print JSON')
    .option('--data <dir>', 'data folder')
    .addHelpText(
      'after',
      `\nExamples:\n  ${command} connect claude-code\n  ${command} connect codex --model example/model --dry-run\nUndo it: ${command} disconnect claude-code`,
    )
    .action(async (name: string | undefined, flags: ConnectFlags) => {
      await withRepositories(context, flags.data, async (repositories) => {
        if (name === undefined) await printPrograms(context, repositories, flags);
        else await connect(context, repositories, name, flags);
      });
    });
}

async function connect(
  context: CommandContext,
  repositories: CommandRepositories,
  name: string,
  flags: ConnectFlags,
): Promise<void> {
  const { terminal, command } = context;
  const known = ProgramId.safeParse(name);
  if (!known.success) {
    const tool = requireTool(name, command);
    await printRecipe(context, repositories, tool, flags);
    return;
  }
  const { models, fault } = await listModels(context, repositories);
  const connections = await openCommandConnections(context, repositories, models);
  const program = await findState(connections, known.data);
  const model =
    flags.model ?? (await findModel(context, repositories, { program, models, fault, flags }));
  const choice: ConnectionChoice = {
    program: known.data,
    model,
    ...(flags.smallModel === undefined ? {} : { smallModel: flags.smallModel }),
    ...(flags.project === undefined ? {} : { project: resolve(flags.project) }),
  };
  const computed = await connections.preview(choice);
  const preview = { ...computed, notes: [...describeUntried(program), ...computed.notes] };
  if (flags.dryRun === true) {
    if (flags.json === true) terminal.printJson(preview);
    else printPreview(terminal, preview);
    return;
  }
  if (flags.yes !== true) {
    printPreview(terminal, preview);
    await requireConfirmation(context, `Make this change?`);
  }
  const { key: _, ...made } = await connections.connect(
    choice,
    flags.yes === true ? null : preview.token,
  );
  const unseen = flags.yes === true ? preview.notes : [];
  if (flags.json === true) {
    terminal.printJson(made);
    unseen.forEach(terminal.printError);
    return;
  }
  terminal.printText(
    `${program.name} is connected as the client “${made.client.name}”, with a local key of its own. Changed: ${made.files.join(', ')}`,
  );
  if (made.keyToEnter !== null) {
    terminal.print(`\nThe local key, shown only once:\n\n  ${terminal.bold(made.keyToEnter)}\n`);
  }
  for (const note of unseen) terminal.printText(note);
  terminal.printText(`Undo it: ${command} disconnect ${known.data}`);
}

/** Finds a program that is set up by hand. @throws UsageError when there is none */
function requireTool(name: string, command: string): ClientTool {
  const tool = TOOLS.find(({ id }) => id === name);
  if (tool !== undefined) return tool;
  if (Object.hasOwn(ENVIRONMENTS, name)) {
    throw new UsageError(
      `“${name}” is connected by variables, and no settings are changed: ${command} env ${name}`,
    );
  }
  const ids = [...ProgramId.options, ...TOOLS.map(({ id }) => id)];
  throw new UsageError(describeUnknown(name, ids, command));
}

/** Says that a program was not found, and that its settings were not tried with it. */
function describeUntried({
  name,
  foundAt,
  foundSettingsOnly,
  checked,
}: ProgramState): readonly string[] {
  return [
    ...(foundAt === null ? [`${name} was not found on this machine.`] : []),
    ...(foundSettingsOnly
      ? [`Settings of ${name} were found (${foundAt}), the program was not.`]
      : []),
    ...(checked === 'documented'
      ? [`These settings are from the documentation of ${name}; they were not tried with it.`]
      : []),
  ];
}

/** Finds a program and its connection. */
export async function findState(connections: Connections, id: ProgramId): Promise<ProgramState> {
  const found = (await connections.list()).find((one) => one.id === id);
  if (found === undefined) throw new CommandError(`There is no program “${id}”.`);
  return found;
}

/** A program that needs a model. */
export type ProgramToSetUp = Pick<ProgramState, 'name' | 'protocol' | 'connection'>;

interface ModelQuestion {
  readonly program: ProgramToSetUp;
  /** The models of the service; none when they cannot be listed, with the reason in `fault`. */
  readonly models: readonly Model[];
  readonly fault: string | null;
  readonly flags: ConnectFlags;
}

/**
 * Finds the model of a connection: that of the present one, or else the latest of the service in use that answered the program's
 * protocol; otherwise the person chooses. @throws UsageError where nobody can
 */
export async function findModel(
  context: CommandContext,
  repositories: CommandRepositories,
  { program, models, fault, flags }: ModelQuestion,
): Promise<string> {
  if (program.connection !== null) return program.connection.model;
  const ids = models.filter((model) => !makesVideos(model)).map(({ id }) => id);
  const latest = await findLatestModel(context, repositories, program);
  if (latest !== null && ids.includes(latest)) return latest;
  if (ids.length > 0 && context.terminal.interactive && flags.yes !== true && flags.json !== true) {
    return await askToChoose(`Model for ${program.name}:`, ids);
  }
  const some = ids.slice(0, 5).join(', ');
  const reason =
    ids.length === 0
      ? (fault ?? 'The service lists no models for text.')
      : `The service has ${some}${ids.length > 5 ? ' and others' : ''}.`;
  throw new UsageError(`Name the model: --model ID. ${reason}`);
}

async function findLatestModel(
  context: CommandContext,
  repositories: CommandRepositories,
  { protocol }: ProgramToSetUp,
): Promise<string | null> {
  const { service } = await findServiceInUse(context, repositories, {});
  return await withHistory(repositories, async (history) => {
    const services = [toPattern(service?.baseUrl ?? SANDBOX_ID)];
    const filter = { ...ANSWERED, services, routes: [protocol] };
    const [latest] = (await history.page({ filter, limit: 1 })).exchanges;
    return latest?.modelSent ?? null;
  });
}
