import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';

/** The fields of electron-builder's update description that are needed here. */
const Update = z.looseObject({ version: z.string(), files: z.array(z.unknown()) });

/**
 * Gathers the output of several runners, each in a folder of its own, in one folder. Update descriptions of the same name are merged,
 * with the files of all, because the updater of a Mac chooses by processor. Other files of the same name are an error.
 */
export async function gatherReleaseFiles(made: string, release: string): Promise<void> {
  await mkdir(release, { recursive: true });
  const found = await readdir(made, { recursive: true, withFileTypes: true });
  const files = Map.groupBy(
    found.filter((entry) => entry.isFile()),
    ({ name }) => name,
  );
  for (const [name, entries] of files) {
    const paths = entries.map((entry) => join(entry.parentPath, entry.name)).toSorted();
    const [first = ''] = paths;
    if (paths.length === 1) await cp(first, join(release, name));
    else if (name.endsWith('.yml')) await writeFile(join(release, name), await mergeUpdates(paths));
    else throw new Error(`${name} was made more than once: ${paths.join(', ')}`);
  }
}

async function mergeUpdates(paths: readonly string[]): Promise<string> {
  const updates = await Promise.all(
    paths.map(async (path) => Update.parse(parse(await readFile(path, 'utf8')))),
  );
  const versions = new Set(updates.map(({ version }) => version));
  if (versions.size !== 1) throw new Error(`Several versions: ${[...versions].join(', ')}`);
  return stringify({ ...updates[0], files: updates.flatMap(({ files }) => files) });
}

if (import.meta.main) {
  const [made, release] = process.argv.slice(2);
  if (made === undefined || release === undefined) {
    throw new Error('Call it with the folder of what was made, and the one of the release.');
  }
  await gatherReleaseFiles(made, release);
}
