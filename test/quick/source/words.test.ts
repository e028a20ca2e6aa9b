import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const DIRECTORIES =
  /^(?:shared|gateway|renderer|sandbox|host|cli|electron|launcher|build|bench|test)\//u;

/** Words of earlier code that the terms of docs/GLOSSARY.md replaced. They must not come back into identifiers and file names. */
const FORBIDDEN: ReadonlySet<string> = new Set([
  'attendance',
  'befallen',
  'begun',
  'errand',
  'glance',
  'heard',
  'house',
  'houses',
  'knock',
  'ledger',
  'lend',
  'lender',
  'lent',
  'mood',
  'occasion',
  'outlook',
  'outlive',
  'patience',
  'rooms',
  'roster',
  'said',
  'sought',
  'studio',
  'stumbled',
  'told',
  'untold',
  'wires',
]);

/** Removes comments, texts and regular expressions, which contain no identifiers. */
const TEXT = /\/\*[^]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/gu;
const IDENTIFIER = /[a-z_$][\w$]*/giu;
/** Names of classes in a style sheet. */
const CSS_CLASS = /(?<=\.)[a-z_][\w-]*/giu;
const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/gu;

function forbiddenIn(name: string): readonly string[] {
  const words = name.match(WORD) ?? [];
  return words.map((word) => word.toLowerCase()).filter((word) => FORBIDDEN.has(word));
}

async function listFiles(ending: RegExp): Promise<readonly string[]> {
  const names = await readdir(ROOT, { recursive: true });
  return names.filter(
    (name) => DIRECTORIES.test(name) && ending.test(name) && !name.includes('node_modules'),
  );
}

/** Returns every distinct name in the code of a file. */
async function readNames(file: string, name: RegExp): Promise<ReadonlySet<string>> {
  const code = (await readFile(join(ROOT, file), 'utf8')).replace(TEXT, '');
  return new Set(code.match(name));
}

test('a forbidden word is found in identifiers and not in texts', () => {
  const code = "const lenderFor = 'a house'; // roster";
  const found = code.replace(TEXT, '').match(IDENTIFIER)?.flatMap(forbiddenIn);
  expect(found).toEqual(['lender']);
});

test('identifiers and file names have none of the words that the glossary replaced', async () => {
  const found: string[] = [];
  for (const file of await listFiles(/\.tsx?$/u)) {
    if (forbiddenIn(basename(file)).length > 0) found.push(file);
    for (const name of await readNames(file, IDENTIFIER)) {
      if (forbiddenIn(name).length > 0) found.push(`${file}: ${name}`);
    }
  }
  expect(found).toEqual([]);
});

test('neither have the classes of the style sheets', async () => {
  const files = await listFiles(/\.module\.css$/u);
  expect(files.length).toBeGreaterThan(0);
  const found: string[] = [];
  for (const file of files) {
    for (const name of await readNames(file, CSS_CLASS)) {
      if (forbiddenIn(name).length > 0) found.push(`${file}: ${name}`);
    }
  }
  expect(found).toEqual([]);
});
