import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import {
  type Copy,
  findCopyFault,
  findDamage,
  type CopyContents,
  countContents,
  describeContents,
  listCopies,
  restoreCopy,
  formatCopyTime,
  withRestoreAdvice,
} from '../../gateway/backup/backup.ts';
import {
  DatabaseDamagedError,
  type DatabaseName,
  DATABASE_KINDS,
  StoreError,
} from '../../gateway/store/store.ts';
import { prepareDataDir } from '../../host/data-folder.ts';
import { describeProcess, acquireLock } from '../../host/lock/instance-lock.ts';
import { CommandError, UsageError } from '../errors.ts';
import { requireConfirmation } from '../output/prompt.ts';
import type { CommandContext } from '../command-context.ts';

interface RestoreFlags {
  readonly data?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

interface CountedCopy extends Copy {
  readonly holds: CopyContents;
}

interface ListedCopy extends CountedCopy {
  /** Why it cannot be restored; `null` when it can. */
  readonly fault: string | null;
}

const examples = (command: string) => `
Without a name it lists the copies. With one it restores that copy after
confirmation: the current database is kept in the folder "damaged", and what was
done after the copy was made is lost, the history too. Local keys made since
then no longer work, and those revoked since then work again. Video files stay.
A video that waited when the copy was made needs your decision, because it may
have been ordered since.

Examples:
  ${command} restore
  ${command} restore gatehouse-3-2026-11-22T17-38-50-000Z`;

/** Defines `gatehouse restore`, which lists the copies of the databases and restores one. */
export function addRestoreCommand(program: Command, context: CommandContext): void {
  program
    .command('restore')
    .argument('[copy]', 'name of the copy')
    .description('list the copies of the databases, or restore one')
    .option('--yes', 'skip the confirmation')
    .option('--json', 'print JSON')
    .option('--data <dir>', 'data folder')
    .addHelpText('after', examples(context.command))
    .action(async (name: string | undefined, flags: RestoreFlags) => {
      const dataDir = await prepareDataDir(flags.data, context.environment);
      if (name === undefined) await showCopies(context, dataDir, flags);
      else await restoreDatabase(context, { dataDir, name, flags });
    });
}

async function showCopies(
  context: CommandContext,
  dataDir: string,
  flags: RestoreFlags,
): Promise<void> {
  if (flags.yes === true) {
    throw new UsageError('Name the copy to restore. Without --yes the copies are listed.');
  }
  const { terminal, command } = context;
  const found = await listCopies(dataDir);
  const copies = await Promise.all(
    found.map(async (copy): Promise<ListedCopy> => ({
      ...copy,
      holds: await countContents(copy),
      fault: await findCopyFault(copy),
    })),
  );
  const problems = await findDatabaseProblems(dataDir, command);
  if (flags.json === true) {
    const damaged = await readdir(join(dataDir, 'damaged')).catch(() => []);
    const listed = copies.map((copy) => ({ ...toListing(copy), fault: copy.fault }));
    terminal.printJson({ copies: listed, problems, damaged });
    return;
  }
  if (copies.length === 0) {
    terminal.print(`There are no copies in ${dataDir} yet. One is made when Gatehouse runs.`);
  }
  for (const { name, at, holds, fault } of copies) {
    const contents = fault === null ? describeContents(holds) : `cannot be used: ${fault}`;
    terminal.print(`${name}\n  ${formatCopyTime(at)}: ${contents}`);
  }
  if (copies.length > 0) terminal.print(`\nTo restore one: ${command} restore NAME`);
  for (const { sentence } of problems) terminal.printText(`\n${sentence}`);
}

interface DatabaseProblem {
  readonly database: DatabaseName;
  readonly sentence: string;
}

/** Finds the problems of the databases in the folder, each with the copy to restore. */
async function findDatabaseProblems(
  dataDir: string,
  command: string,
): Promise<readonly DatabaseProblem[]> {
  const problems = await Promise.all(
    Object.values(DATABASE_KINDS).map(async ({ name: database }) => {
      const problem = await findDamage(dataDir, database).catch((error: unknown) => {
        if (error instanceof StoreError) return error;
        throw error;
      });
      if (problem === null) return [];
      const error =
        problem instanceof DatabaseDamagedError
          ? await withRestoreAdvice(problem, database, { dataDir, command })
          : problem;
      return [{ database, sentence: error.message }];
    }),
  );
  return problems.flat();
}

interface RestoreTask {
  readonly dataDir: string;
  readonly name: string;
  readonly flags: RestoreFlags;
}

async function restoreDatabase(
  context: CommandContext,
  { dataDir, name, flags }: RestoreTask,
): Promise<void> {
  const { terminal, command, now } = context;
  const copy = (await listCopies(dataDir)).find((one) => one.name === name);
  if (copy === undefined) {
    throw new CommandError(`There is no copy with this name. List the copies: ${command} restore`);
  }
  const lock = await acquireLock(dataDir);
  if (!('release' in lock)) {
    throw new CommandError(
      `Gatehouse runs on this data folder (${describeProcess(lock)}). Stop it first, then restore.`,
    );
  }
  try {
    const holds = await countContents(copy);
    const time = formatCopyTime(copy.at);
    const lost = describeLoss(copy.database, time);
    if (flags.json !== true) terminal.printText(lost);
    const question = `Replace ${copy.database}.db with the copy of ${time} (${describeContents(holds)})?`;
    if (flags.yes !== true) await requireConfirmation(context, question);
    const setAside = await restoreCopy({ dataDir, now }, copy);
    const next = describeNextSteps(copy.database, { time, command });
    if (flags.json === true) {
      terminal.printJson({ restored: toListing({ ...copy, holds }), setAside, lost, next });
      return;
    }
    const asideHint = setAside === null ? '' : ` The previous file is kept: ${setAside}`;
    terminal.printText(`${copy.database}.db was restored to ${time}.${asideHint}`);
    for (const sentence of next) terminal.printText(sentence);
  } finally {
    lock.release();
  }
}

function describeLoss(database: DatabaseName, time: string): string {
  return database === 'chat'
    ? `Everything done in the chat after ${time} is lost: conversations, messages and images.`
    : `Everything done after ${time} is lost: clients and their keys, services, settings, history and the list of videos. Older history is lost, too, because copies contain none. Video files stay in the folder videos.`;
}

/** Explains what a person has to do after a restore. */
function describeNextSteps(
  database: DatabaseName,
  { time, command }: { readonly time: string; readonly command: string },
): readonly string[] {
  if (database === 'chat') return [];
  return [
    `Local keys that were made after ${time} no longer work: create new ones with ${command} clients add NAME`,
    `Local keys that were revoked after that work again: check ${command} clients list`,
    'Before you order a video again, check the folder videos and the list of the service: it may have been ordered after that.',
  ];
}

function toListing({ name, database, at, bytes, file, holds }: CountedCopy) {
  return { name, database, at: new Date(at).toISOString(), bytes, file, holds };
}
