import { existsSync } from 'node:fs';
import { copyFile, chmod, open, rename, rm } from 'node:fs/promises';
import { DiskError, freeBytes, withFolder, fsyncFolder } from '../lib/disk.ts';
import { UserError } from '../errors.ts';
import type { Copy } from './copies.ts';
import { findCopyFault } from './find-copy-fault.ts';
import type { BackupDeps } from './deps.ts';
import { clearDamage } from './damage-note.ts';
import { databasePath, moveToDamaged } from './paths.ts';

const UNCHANGED = ' Nothing was changed.';

/**
 * Replaces a database with a copy. The old file is kept under another name, which is returned; `null` when there was none.
 * Must only be called while no process serves the data folder. Rejects with UserError when the copy itself is damaged, without
 * changing anything; with DiskError when there is too little space.
 */
export async function restoreCopy(
  { dataDir, now }: Pick<BackupDeps, 'dataDir' | 'now'>,
  copy: Copy,
): Promise<string | null> {
  const { database } = copy;
  await assertIntact(copy);
  assertFreeSpace(dataDir, copy);
  const file = databasePath(dataDir, database);
  const temporary = `${file}.restored.new`;
  await rm(temporary, { force: true }).catch((error: unknown) => {
    throw new UserError(`${temporary} is in the way. Move it away, then restore again.`, null, {
      cause: error,
    });
  });
  try {
    await withFolder(dataDir, async () => await copyAndSync(copy.file, temporary), UNCHANGED);
    const replaces = existsSync(file);
    const aside = await moveToDamaged(dataDir, database, { now: now() });
    await rename(temporary, file);
    await fsyncFolder(dataDir);
    await clearDamage(dataDir, database);
    return replaces ? aside : null;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function copyAndSync(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  await chmod(to, 0o600);
  await using written = await open(to, 'r+');
  await written.sync();
}

/** @throws DiskError */
function assertFreeSpace(dataDir: string, { name, bytes }: Copy): void {
  const free = freeBytes(dataDir);
  if (free >= bytes) return;
  throw new DiskError(
    `The disk of the folder ${dataDir} is too full to restore ${name}: it has ${free} bytes free, and the copy takes ${bytes}. Free some space there.${UNCHANGED}`,
  );
}

/** @throws UserError */
async function assertIntact(copy: Copy): Promise<void> {
  const { file, name } = copy;
  if (!existsSync(file)) throw new UserError(`The copy ${name} no longer exists.`);
  const fault = await findCopyFault(copy);
  if (fault !== null)
    throw new UserError(`The copy ${name} cannot be used: ${fault}. Restore another copy.`);
}
