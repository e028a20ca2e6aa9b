import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, 'corpus');

/** Reads the stored inputs of a target, ordered by name. */
export async function readCorpus(target: string): Promise<Buffer[]> {
  const names = await readdir(join(ROOT, target)).catch(() => []);
  return await Promise.all(
    names
      .toSorted((one, other) => one.localeCompare(other))
      .map(async (name) => await readFile(join(ROOT, target, name))),
  );
}

/** Saves an input under the hash of its bytes; returns the path of its file. */
export async function saveInput(target: string, input: Buffer): Promise<string> {
  const folder = join(ROOT, target);
  await mkdir(folder, { recursive: true });
  const path = join(folder, createHash('sha256').update(input).digest('hex').slice(0, 16));
  await writeFile(path, input);
  return path;
}
