import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const DIRECTORIES =
  'shared gateway renderer sandbox host cli electron launcher build bench test'.split(' ');
/** Files that one folder may hold, those in its folders not counted. */
const MAX_FILES = 25;

/** Counts the files of a folder and of the folders below it, by folder. */
function countFiles(folder: string): readonly (readonly [folder: string, files: number])[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).length;
  const folders = entries.filter((entry) => entry.isDirectory());
  return [[folder, files], ...folders.flatMap(({ name }) => countFiles(join(folder, name)))];
}

test('no folder of code holds more than 25 files', () => {
  const counts = DIRECTORIES.flatMap((directory) => countFiles(join(ROOT, directory)));
  expect(counts.length).toBeGreaterThan(DIRECTORIES.length);
  const full = counts.filter(([, files]) => files > MAX_FILES);
  expect(full.map(([folder, files]) => `${relative(ROOT, folder)}: ${files} files`)).toEqual([]);
});
