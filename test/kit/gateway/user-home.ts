import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Puts executables that do nothing into a folder of a home. Returns that folder, to be used as the PATH. */
export async function installPrograms(home: string, names: readonly string[]): Promise<string> {
  const folder = join(home, 'bin');
  await mkdir(folder, { recursive: true });
  const ending = process.platform === 'win32' ? '.cmd' : '';
  for (const name of names) {
    const file = join(folder, `${name}${ending}`);
    await writeFile(file, process.platform === 'win32' ? '@exit 0\n' : '#!/bin/sh\n');
    await chmod(file, 0o755);
  }
  return folder;
}
