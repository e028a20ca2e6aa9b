import { DiskError } from '../lib/disk.ts';
import { DatabaseDamagedError, type DatabaseName, runFileJob } from '../store/store.ts';
import { type Copy, listCopies } from './copies.ts';
import { findNewestIntact } from './find-copy-fault.ts';
import type { BackupDeps } from './deps.ts';
import { readDamageNote } from './damage-note.ts';

/** Row counts of a copy under names that people know, such as `{ clients: 2 }`; `null` for one that cannot be read. */
export type CopyContents = Readonly<Record<string, number>> | null;

/** Tables that are counted, under the names that people know. */
const COUNTED_TABLES: Readonly<Record<DatabaseName, Readonly<Record<string, string>>>> = {
  gatehouse: { client: 'clients', upstream: 'services', video_job: 'videos' },
  chat: { conversation: 'conversations', message: 'messages' },
};

/** Counts the rows of a copy. */
export async function countContents({ file, database }: Copy): Promise<CopyContents> {
  const names = COUNTED_TABLES[database];
  try {
    const counts = await runFileJob({ kind: 'count', file, tables: Object.keys(names) });
    return Object.fromEntries(
      Object.entries(names).map(([table, name]) => [name, counts[table] ?? 0]),
    );
  } catch {
    // The check of the copy reports what is wrong with it.
    return null;
  }
}

/** Formats counts: `2 clients, 1 service, 0 videos`. */
export function describeContents(holding: CopyContents): string {
  if (holding === null) return 'nothing that can be read';
  return Object.entries(holding)
    .map(([name, count]) => `${count} ${count === 1 ? name.replace(/s$/u, '') : name}`)
    .join(', ');
}

/** Formats a time for people, in the local time zone. */
export function formatCopyTime(at: number): string {
  return new Date(at).toLocaleString('en-GB', {
    dateStyle: 'long',
    timeStyle: 'short',
  });
}

/** Returns the same error with the copy that can be restored as its next step. */
export async function withRestoreAdvice(
  damage: DatabaseDamagedError,
  database: DatabaseName,
  deps: Pick<BackupDeps, 'dataDir' | 'command'>,
): Promise<DatabaseDamagedError> {
  const { dataDir, command = 'gatehouse' } = deps;
  const copies = await listCopies(dataDir).catch((error: unknown) => {
    if (error instanceof DiskError) return error;
    throw error;
  });
  const unread = copies instanceof DiskError ? copies.message : null;
  const copy = copies instanceof DiskError ? null : await findNewestIntact(copies, database);
  const note = await readDamageNote(dataDir, database);
  const { file, finding, detail, tables } = damage;
  const since =
    note === null ? finding : `${finding}. This was noticed on ${formatCopyTime(note.since)}`;
  const next =
    copy === null
      ? `${unread ?? 'There is no copy of it that can be used.'} Replace it with a copy of your own, or move the file away: a new one is created, and its content is lost.`
      : `The copy of ${formatCopyTime(copy.at)} has ${describeContents(await countContents(copy))}. ${formatRestoreHint(copy, command)}`;
  return new DatabaseDamagedError({ file, finding: since, detail, tables }, next, {
    cause: damage,
  });
}

function formatRestoreHint({ name }: Copy, command: string | null): string {
  return command === null
    ? `Quit Gatehouse and restore it in a terminal:\n  gatehouse restore ${name}`
    : `Restore it:\n  ${command} restore ${name}`;
}
