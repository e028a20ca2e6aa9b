import { existsSync } from 'node:fs';
import { copyFile, chmod, open, rename, rm } from 'node:fs/promises';
import { DiskProblem, freeBytes, inFolder, syncFolder } from '../disk.ts';
import { Refused } from '../refused.ts';
import type { Copy } from './copies.ts';
import { faultOf } from './copy-fault.ts';
import type { BackupGround } from './ground.ts';
import { forgetDamage } from './note.ts';
import { databaseFile, setAside } from './places.ts';

const UNCHANGED = ' Nothing was changed.';

/**
 * Puts a copy in the place of its database, whose file is kept under another name, which is given; `null` when there was none. To be called while no
 * process serves the data folder. Rejects with Refused when the copy is damaged itself, and then nothing is changed;
 * with DiskProblem when there is no room for it.
 */
export async function restoreCopy(
  { dataDir, now }: Pick<BackupGround, 'dataDir' | 'now'>,
  copy: Copy,
): Promise<string | null> {
  const { database } = copy;
  await requireSound(copy);
  requireRoom(dataDir, copy);
  const file = databaseFile(dataDir, database);
  const fresh = `${file}.restored.new`;
  await rm(fresh, { force: true }).catch((error: unknown) => {
    throw new Refused(`${fresh} is in the way. Move it away, then restore again.`, null, {
      cause: error,
    });
  });
  try {
    await inFolder(dataDir, async () => await writeWhole(copy.file, fresh), UNCHANGED);
    const replaces = existsSync(file);
    const aside = await setAside(dataDir, database, { now: now() });
    await rename(fresh, file);
    await syncFolder(dataDir);
    await forgetDamage(dataDir, database);
    return replaces ? aside : null;
  } finally {
    await rm(fresh, { force: true });
  }
}

async function writeWhole(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  await chmod(to, 0o600);
  await using written = await open(to, 'r+');
  await written.sync();
}

/** @throws DiskProblem */
function requireRoom(dataDir: string, { name, bytes }: Copy): void {
  const free = freeBytes(dataDir);
  if (free >= bytes) return;
  throw new DiskProblem(
    `The disk of the folder ${dataDir} is too full to restore ${name}: it has ${free} bytes free, and the copy takes ${bytes}. Make room there.${UNCHANGED}`,
  );
}

/** @throws Refused */
async function requireSound(copy: Copy): Promise<void> {
  const { file, name } = copy;
  if (!existsSync(file)) throw new Refused(`The copy ${name} is not there any more.`);
  const fault = await faultOf(copy);
  if (fault !== null)
    throw new Refused(`The copy ${name} cannot be used: ${fault}. Restore another copy.`);
}
