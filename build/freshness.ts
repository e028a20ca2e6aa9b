import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
/** The folders and files that the desktop app is made of. */
const DESKTOP = [
  'electron',
  'launcher',
  'cli',
  'gateway',
  'host',
  'sandbox',
  'shared',
  'build',
  'package.json',
];

/** Whether `out/desktop` has to be built. */
export async function isDesktopOld(): Promise<boolean> {
  // This file is written last.
  return await isOld('out/desktop/THIRD-PARTY-NOTICES.txt', DESKTOP);
}

/** Whether `out/ui` has to be built. */
export async function isPageOld(): Promise<boolean> {
  return await isOld('out/ui/index.html', ['renderer', 'shared', 'package.json']);
}

/** Whether an output is missing or older than its sources. Paths are below the repository. */
async function isOld(built: string, sources: readonly string[]): Promise<boolean> {
  const changed = await Promise.all(sources.map(findNewest));
  return (await writtenAt(built)) < Math.max(...changed);
}

/** Returns when a file was written; 0 when there is none. */
async function writtenAt(path: string): Promise<number> {
  return (await stat(join(ROOT, path)).catch(() => null))?.mtimeMs ?? 0;
}

async function findNewest(path: string): Promise<number> {
  const entries = (await stat(join(ROOT, path))).isDirectory()
    ? (await readdir(join(ROOT, path), { recursive: true })).map((name) => join(path, name))
    : [path];
  return Math.max(...(await Promise.all(entries.map(writtenAt))));
}
