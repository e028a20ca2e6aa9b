import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { buildPage } from './page-bundle.ts';

const ROOT = join(import.meta.dirname, '..');
/** What the page is made of. */
const SOURCES = ['renderer', 'shared', 'package.json'];

// Before `npm start`: the page is built when there is none, or when its sources are newer.
const built = await writtenAt('out/ui/index.html');
const changed = await Promise.all(SOURCES.map(newestIn));
if (built < Math.max(...changed)) {
  console.error('Building the window. This takes a few seconds, and only after a change.');
  await buildPage();
}

/** When a file was written; 0 when there is none. */
async function writtenAt(path: string): Promise<number> {
  return (await stat(join(ROOT, path)).catch(() => null))?.mtimeMs ?? 0;
}

async function newestIn(path: string): Promise<number> {
  const entries = (await stat(join(ROOT, path))).isDirectory()
    ? (await readdir(join(ROOT, path), { recursive: true })).map((name) => join(path, name))
    : [path];
  return Math.max(...(await Promise.all(entries.map(writtenAt))));
}
