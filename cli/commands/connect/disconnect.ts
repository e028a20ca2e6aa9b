import type { Command } from 'commander';
import {
  type Disconnected,
  ProgramId,
  type UndoneFile,
} from '../../../shared/connect/connection.ts';
import type { CommandContext } from '../../command-context.ts';
import { CommandError, UsageError } from '../../errors.ts';
import { requireConfirmation } from '../../output/prompt.ts';
import { type CommandRepositories, withRepositories } from '../../with-repositories.ts';
import { describeUnknown, openCommandConnections } from './connections.ts';
import { printPreview } from './print-change.ts';

interface DisconnectFlags {
  readonly all?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly data?: string;
}

/** Defines `gatehouse disconnect`, which takes back what `gatehouse connect` has changed. */
export function addDisconnectCommand(program: Command, context: CommandContext): void {
  const { command } = context;
  program
    .command('disconnect [client]')
    .description('put the settings of a program back as they were, and end its local key')
    .option('--all', 'all programs that were connected')
    .option('--dry-run', 'show the change and make none')
    .option('--yes', 'ask nothing')
    .option('--json', 'print JSON')
    .option('--data <dir>', 'data folder')
    .addHelpText(
      'after',
      `\nExamples:\n  ${command} disconnect claude-code\n  ${command} disconnect --all`,
    )
    .action(async (name: string | undefined, flags: DisconnectFlags) => {
      await withRepositories(context, flags.data, async (repositories) => {
        await disconnect(context, repositories, name, flags);
      });
    });
}

async function disconnect(
  context: CommandContext,
  repositories: CommandRepositories,
  name: string | undefined,
  flags: DisconnectFlags,
): Promise<void> {
  const { terminal, command } = context;
  const connections = await openCommandConnections(context, repositories, []);
  const connected = (await connections.list()).filter(({ connection }) => connection !== null);
  const ids = name === undefined ? connected.map(({ id }) => id) : [parseProgram(name, command)];
  if (name === undefined && flags.all !== true) {
    throw new UsageError(
      connected.length === 0
        ? 'No program was connected.'
        : `Name the program: ${ids.join(', ')}; or --all.`,
    );
  }
  const previews = await Promise.all(ids.map((id) => connections.previewUndo(id)));
  if (flags.dryRun === true) {
    if (flags.json === true) terminal.printJson({ previews });
    else for (const preview of previews) printPreview(terminal, preview);
    return;
  }
  if (flags.yes !== true && previews.length > 0) {
    for (const preview of previews) printPreview(terminal, preview);
    await requireConfirmation(context, 'Put this back, and end its local key?');
  }
  const results: Disconnected[] = [];
  for (const { program, token } of previews) {
    results.push(await connections.disconnect(program, flags.yes === true ? null : token));
  }
  const unseen = flags.yes === true ? results.flatMap(({ notes }) => notes) : [];
  if (flags.json === true) {
    terminal.printJson({ results });
    unseen.forEach(terminal.printError);
    return;
  }
  if (results.length === 0) terminal.printText('No program was connected.');
  for (const note of unseen) terminal.printText(note);
  reportDisconnected(context, results);
}

function parseProgram(name: string, command: string): ProgramId {
  const parsed = ProgramId.safeParse(name);
  if (parsed.success) return parsed.data;
  throw new UsageError(describeUnknown(name, ProgramId.options, command));
}

const RESULTS: Readonly<Record<UndoneFile['result'], string>> = {
  restored: 'as it was before',
  edited: 'our fields are gone; what was changed since stays',
  deleted: 'deleted, because it did not exist before',
  gone: 'was gone already',
  unreadable: 'LEFT AS IT IS',
};

/** Takes back the connection that a client was created for; `null` when there is none. */
export async function disconnectClient(
  context: CommandContext,
  repositories: CommandRepositories,
  clientId: string,
): Promise<Disconnected | null> {
  const connections = await openCommandConnections(context, repositories, []);
  const program = await connections.findProgramOf(clientId);
  return program === null ? null : await connections.disconnect(program, null);
}

/** Prints what became of each file. @throws CommandError when one could not be undone */
export function reportDisconnected(
  { terminal, command }: CommandContext,
  results: readonly Disconnected[],
): void {
  for (const { files } of results) {
    for (const { path, result, left } of files) {
      terminal.printText(`${path}: ${RESULTS[result]}`);
      for (const one of left) terminal.printText(`  stays: ${one}`);
    }
  }
  const open = results.find(({ complete }) => !complete);
  if (open === undefined) return;
  throw new CommandError(
    `Not everything could be put back. Correct the files named above, then repeat: ${command} disconnect ${open.program}`,
  );
}
