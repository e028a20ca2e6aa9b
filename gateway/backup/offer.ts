import { DiskProblem } from '../disk.ts';
import { DatabaseDamaged, type DatabaseName, runFileJob } from '../store/store.ts';
import { type Copy, listCopies } from './copies.ts';
import { newestSound } from './copy-fault.ts';
import type { BackupGround } from './ground.ts';
import { readNote } from './note.ts';

/** What is in a copy, as far as a person knows it; `null` for one that cannot be read. */
export type Holding = Readonly<Record<string, number>> | null;

/** Tables that people know under other names. */
const NAMES: Readonly<Record<DatabaseName, Readonly<Record<string, string>>>> = {
  gatehouse: { client: 'clients', upstream: 'services', video_job: 'videos' },
  chat: { conversation: 'conversations', message: 'messages' },
};

/** Counts what is in a copy. */
export async function holdingOf({ file, database }: Copy): Promise<Holding> {
  const names = NAMES[database];
  try {
    const counts = await runFileJob({ kind: 'count', file, tables: Object.keys(names) });
    return Object.fromEntries(
      Object.entries(names).map(([table, name]) => [name, counts[table] ?? 0]),
    );
  } catch {
    // Which it is, its own check tells.
    return null;
  }
}

/** `2 clients, 1 service, 0 videos` */
export function holdingWords(holding: Holding): string {
  if (holding === null) return 'nothing that can be read';
  return Object.entries(holding)
    .map(([name, count]) => `${count} ${count === 1 ? name.replace(/s$/u, '') : name}`)
    .join(', ');
}

/** A time for people, in the zone of this machine. */
export function timeWords(at: number): string {
  return new Date(at).toLocaleString('en-GB', {
    dateStyle: 'long',
    timeStyle: 'short',
  });
}

/** The same error, with the copy that can be restored in the place of its next step. */
export async function withOffer(
  damage: DatabaseDamaged,
  database: DatabaseName,
  ground: Pick<BackupGround, 'dataDir' | 'command'>,
): Promise<DatabaseDamaged> {
  const { dataDir, command = 'gatehouse' } = ground;
  const copies = await listCopies(dataDir).catch((error: unknown) => {
    if (error instanceof DiskProblem) return error;
    throw error;
  });
  const unread = copies instanceof DiskProblem ? copies.message : null;
  const copy = copies instanceof DiskProblem ? null : await newestSound(copies, database);
  const note = await readNote(dataDir, database);
  const { file, finding, detail, tables } = damage;
  const since =
    note === null ? finding : `${finding}. This was noticed on ${timeWords(note.since)}`;
  const next =
    copy === null
      ? `${unread ?? 'There is no copy of it that can be used.'} Put one of your own in its place, or move the file away: a new one is made, and what is in it is lost.`
      : `The copy of ${timeWords(copy.at)} has ${holdingWords(await holdingOf(copy))}. ${restoreWords(copy, command)}`;
  return new DatabaseDamaged({ file, finding: since, detail, tables }, next, { cause: damage });
}

function restoreWords({ name }: Copy, command: string | null): string {
  return command === null
    ? `Quit Gatehouse and restore it in a terminal:\n  gatehouse restore ${name}`
    : `Restore it:\n  ${command} restore ${name}`;
}
