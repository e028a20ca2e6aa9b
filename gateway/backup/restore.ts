import { existsSync } from 'node:fs';
import { copyFile, chmod, open, rename, rm } from 'node:fs/promises';
import { syncFolder } from '../disk.ts';
import { Refused } from '../refused.ts';
import type { Copy } from './copies.ts';
import { faultOf } from './copy-fault.ts';
import type { BackupGround } from './ground.ts';
import { forgetDamage } from './note.ts';
import { databaseFile, setAside } from './places.ts';

/**
 * Puts a copy in the place of its database, whose file is kept under another name, which is given; `null` when there was none. To be called while no
 * process serves the data folder. Rejects with Refused when the copy is damaged itself, and then nothing is changed.
 */
export async function restoreCopy(
  { dataDir, now }: Pick<BackupGround, 'dataDir' | 'now'>,
  copy: Copy,
): Promise<string | null> {
  const { database } = copy;
  await requireSound(copy);
  const file = databaseFile(dataDir, database);
  const fresh = `${file}.restored.new`;
  await rm(fresh, { force: true }).catch((error: unknown) => {
    throw new Refused(`${fresh} is in the way. Move it away, then restore again.`, null, {
      cause: error,
    });
  });
  try {
    await copyFile(copy.file, fresh);
    await chmod(fresh, 0o600);
    await using written = await open(fresh, 'r+');
    await written.sync();
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

/** @throws Refused */
async function requireSound(copy: Copy): Promise<void> {
  const { file, name } = copy;
  if (!existsSync(file)) throw new Refused(`The copy ${name} is not there any more.`);
  const fault = await faultOf(copy);
  if (fault !== null)
    throw new Refused(`The copy ${name} cannot be used: ${fault}. Restore another copy.`);
}
