import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { DatabaseName } from '../store/store.ts';
import type { BackupDeps } from './deps.ts';

/** Marks a database as damaged: the next start checks all of it before it goes on. */
const DamageNote = z.object({
  /** Unix time in milliseconds, within the range of `Date`. */
  since: z.number().min(0).max(8.64e15),
  finding: z.string(),
});
export type DamageNote = z.infer<typeof DamageNote>;

function damageFile(dataDir: string, database: DatabaseName): string {
  return join(dataDir, `${database}.damage.json`);
}

/** Returns `null` when no damage is recorded. */
export async function readDamageNote(
  dataDir: string,
  database: DatabaseName,
): Promise<DamageNote | null> {
  try {
    const text = await readFile(damageFile(dataDir, database), 'utf8');
    return DamageNote.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // The note is absent or half-written. The check at the next start does not depend on it alone.
    return null;
  }
}

/** Records damage with the time when it was first noticed. On a full disk nothing is recorded or removed. */
export async function recordDamage(
  { dataDir, now }: Pick<BackupDeps, 'dataDir' | 'now'>,
  database: DatabaseName,
  finding: string,
): Promise<void> {
  if ((await readDamageNote(dataDir, database)) !== null) return;
  const text = JSON.stringify({ since: now(), finding } satisfies DamageNote);
  await writeFile(damageFile(dataDir, database), text, { mode: 0o600 }).catch(() => undefined);
}

/** A note that cannot be removed only makes the next start check everything; it must not prevent serving. */
export async function clearDamage(dataDir: string, database: DatabaseName): Promise<void> {
  await rm(damageFile(dataDir, database), { force: true }).catch(() => undefined);
}
