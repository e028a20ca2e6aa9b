import { rmdir } from 'node:fs/promises';
import { UserError } from '../errors.ts';
import type { Journal, JournalEntry, JournalFile } from './journal/journal.ts';
import { type Plan, prepareFolder, takeBack, toJournalFile, writePlanned } from './plan.ts';
import { putBack } from './undo-file.ts';

/**
 * Makes a planned connection: puts back what the earlier one had elsewhere, writes the journal, then the files. When one cannot be written, those before it are put back, and an
 * earlier connection stays. Returns the paths of the files. @throws UserError
 */
export async function makeConnection(
  journal: Journal,
  plan: Plan,
  old: JournalEntry | null,
  facts: Omit<JournalEntry, 'version' | 'files'>,
): Promise<string[]> {
  const unreadable = plan.left.find(({ without }) => without.result === 'unreadable');
  if (unreadable !== undefined) {
    throw new UserError(
      `${unreadable.file.path} of the earlier connection cannot be put back: ${unreadable.without.left.join(' ')} Correct it, then try again.`,
    );
  }
  // The earlier connection names these files until they are put back.
  for (const { file, without } of plan.left) await putBack(file, without);
  const files: JournalFile[] = [];
  const copies = new Map<string, Buffer>();
  const created: string[] = [];
  for (const planned of plan.files) {
    const added = await prepareFolder(planned);
    created.push(...added);
    const all = [...new Set([...(planned.earlier?.createdFolders ?? []), ...added])];
    const { entry, copy } = toJournalFile(planned, all);
    files.push(entry);
    if (copy !== null) copies.set(...copy);
  }
  const before = old === null ? null : await journal.readCopies(old);
  await journal.write({ version: 2, ...facts, files }, copies);
  try {
    for (const planned of plan.files) await writePlanned(planned);
  } catch (error) {
    const isBack = await Promise.all(plan.files.map(takeBack));
    // A file that another program has changed meanwhile is undone by its fields later.
    if (isBack.every(Boolean)) {
      if (old === null || before === null) await journal.remove(facts.program);
      else await journal.write(old, before);
      for (const folder of created.toReversed()) await rmdir(folder).catch(() => undefined);
    }
    throw error;
  }
  return files.map(({ path }) => path);
}
