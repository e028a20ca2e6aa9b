import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import {
  type Copy,
  type Holding,
  holdingOf,
  holdingWords,
  listCopies,
  restoreCopy,
  timeWords,
} from '../gateway/backup/backup.ts';
import { openDataDir } from '../hosting/data-folder.ts';
import { processOf, takeLock } from '../hosting/lock.ts';
import { CommandFailed, UsageProblem } from './problem.ts';
import { confirmed } from './prompt.ts';
import type { Shell } from './shell.ts';

interface RestoreFlags {
  readonly data?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

interface Listed extends Copy {
  readonly holds: Holding;
}

const examples = (command: string) => `
Without a name it lists the copies. With one it restores that copy, after a yes: the database of now is kept in
the folder "damaged", and what was done after the copy was made is lost. Local keys revoked since then work again.
A video that waited when the copy was made is left to your decision, for it may have been ordered since.

Examples:
  ${command} restore
  ${command} restore gatehouse-3-2026-11-22T17-38-50-000Z`;

/** `gatehouse restore`: lists the copies of the databases and puts one in the place of its database. */
export function addRestore(program: Command, shell: Shell): void {
  program
    .command('restore')
    .argument('[copy]', 'name of the copy')
    .description('list the copies of the databases, or put one back')
    .option('--yes', 'ask nothing')
    .option('--json', 'print JSON')
    .option('--data <dir>', 'data folder')
    .addHelpText('after', examples(shell.command))
    .action(async (name: string | undefined, flags: RestoreFlags) => {
      const dataDir = await openDataDir(flags.data, shell.environment);
      if (name === undefined) await list(shell, dataDir, flags);
      else await restore(shell, { dataDir, name, flags });
    });
}

async function list(shell: Shell, dataDir: string, flags: RestoreFlags): Promise<void> {
  if (flags.yes === true) {
    throw new UsageProblem('Name the copy to restore. Without --yes the copies are listed.');
  }
  const { terminal, command } = shell;
  const found = await listCopies(dataDir);
  const copies = await Promise.all(
    found.map(async (copy): Promise<Listed> => ({ ...copy, holds: await holdingOf(copy) })),
  );
  if (flags.json === true) {
    const damaged = await readdir(join(dataDir, 'damaged')).catch(() => []);
    terminal.printJson({ copies: copies.map(shown), damaged });
    return;
  }
  if (copies.length === 0) {
    terminal.print(`There are no copies in ${dataDir} yet. One is made when Gatehouse runs.`);
    return;
  }
  for (const copy of copies) {
    terminal.print(`${copy.name}\n  ${timeWords(copy.at)}: ${holdingWords(copy.holds)}`);
  }
  terminal.print(`\nTo put one back: ${command} restore NAME`);
}

interface Restoring {
  readonly dataDir: string;
  readonly name: string;
  readonly flags: RestoreFlags;
}

async function restore(shell: Shell, { dataDir, name, flags }: Restoring): Promise<void> {
  const { terminal, command, now } = shell;
  const copy = (await listCopies(dataDir)).find((one) => one.name === name);
  if (copy === undefined) {
    throw new CommandFailed(
      `There is no copy of this name. To see which there are: ${command} restore`,
    );
  }
  const lock = await takeLock(dataDir);
  if (!('release' in lock)) {
    throw new CommandFailed(
      `Gatehouse runs on this data folder (${processOf(lock)}). Stop it first, then restore.`,
    );
  }
  try {
    const holds = await holdingOf(copy);
    const question = `Put the copy of ${timeWords(copy.at)} (${holdingWords(holds)}) in the place of ${copy.database}.db?`;
    if (flags.yes !== true) await requireYes(shell, question);
    const setAside = await restoreCopy({ dataDir, now }, copy);
    if (flags.json === true) {
      terminal.printJson({ restored: shown({ ...copy, holds }), setAside });
      return;
    }
    const kept = setAside === null ? '' : ` The file that was there is kept: ${setAside}`;
    terminal.print(`${copy.database}.db is that of ${timeWords(copy.at)} again.${kept}`);
    if (copy.database === 'gatehouse') {
      terminal.print(
        `Local keys that were revoked after that work again: look with ${command} clients list`,
      );
    }
  } finally {
    lock.release();
  }
}

async function requireYes({ terminal }: Shell, question: string): Promise<void> {
  if (!terminal.interactive) {
    throw new UsageProblem(
      'This asks before it changes anything: add --yes where nobody can answer.',
    );
  }
  if (!(await confirmed(question, new AbortController().signal)))
    throw new CommandFailed('Nothing was changed.');
}

function shown({ name, database, at, bytes, file, holds }: Listed) {
  return { name, database, at: new Date(at).toISOString(), bytes, file, holds };
}
