import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
/** A text is at most so long, as a file that an agent reads in one piece. */
const MAX_TEXT = 24_000;

/** Texts of one kind, as prompts and as answers. */
export interface TextKind {
  readonly name: string;
  readonly texts: readonly string[];
}

/** Reads this repository's own texts: prose, code and data. */
export async function readTexts(): Promise<readonly TextKind[]> {
  const [docs, gateway, shared] = await Promise.all(['docs', 'gateway', 'shared'].map(listFiles));
  const lock = await readFile(join(ROOT, 'package-lock.json'), 'utf8');
  return [
    { name: 'Markdown', texts: await readEach(docs ?? [], '.md') },
    { name: 'TypeScript', texts: await readEach([...(gateway ?? []), ...(shared ?? [])], '.ts') },
    { name: 'JSON', texts: split(lock) },
  ];
}

async function readEach(paths: readonly string[], ending: string): Promise<readonly string[]> {
  const found = paths.filter((path) => path.endsWith(ending));
  return await Promise.all(
    found.map(async (path) => (await readFile(path, 'utf8')).slice(0, MAX_TEXT)),
  );
}

async function listFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(join(ROOT, folder), { recursive: true });
  return names.toSorted().map((name) => join(ROOT, folder, name));
}

/** Splits a text into pieces of different lengths. */
function split(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const length = 500 + ((pieces.length * 3_571) % 15_000);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}
