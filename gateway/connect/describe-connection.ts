import type { Client } from '../../shared/client.ts';
import type { ProgramState } from '../../shared/connect/connection.ts';
import type { JournalEntry, JournalFile } from './journal/journal.ts';
import type { FileWithout } from './undo-file.ts';
import { hashBytes, readUserFile } from './write-file.ts';

/** Describes a connection with the present name of its client, and what became of its files. */
export async function describeConnection(
  entry: JournalEntry,
  clients: readonly Client[],
): Promise<ProgramState['connection']> {
  const { at, model, address, project = null } = entry;
  const { id, name } = clients.find((one) => one.id === entry.client.id) ?? entry.client;
  const files = await Promise.all(
    entry.files.map(async ({ path, after }) => {
      const bytes = await readUserFile(path).then(
        (found) => found.bytes,
        () => undefined,
      );
      const isAsWritten = bytes != null && after.includes(hashBytes(bytes));
      const state: 'gone' | 'as-written' | 'changed' =
        bytes === null ? 'gone' : isAsWritten ? 'as-written' : 'changed';
      return { path, state };
    }),
  );
  return { client: { id, name }, at, model, address, project, files };
}

/** Names what undoing leaves in a file. */
export function describeLeft(file: JournalFile, { result, left }: FileWithout): string[] {
  if (result === 'unreadable')
    return left.map((reason) => `${file.path} is left as it is: ${reason}`);
  if (result === 'gone') return [`${file.path} is gone already.`];
  return left.map((path) => `${path} in ${file.path} was changed since, and stays.`);
}
