import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const DIRECTORIES =
  /^(?:shared|gateway|renderer|sandbox|host|cli|electron|launcher|build|bench|test)\//u;

/** Words of earlier code that the terms of docs/GLOSSARY.md replaced. They must not come back into identifiers and file names. */
const FORBIDDEN: ReadonlySet<string> = new Set([
  'attendance',
  'befallen',
  'errand',
  'glance',
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
  'sought',
  'studio',
  'stumbled',
  'told',
  'wires',
]);

/** Removes comments, texts and regular expressions, which contain no identifiers. */
const TEXT = /\/\*[^]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/gu;
const IDENTIFIER = /[a-z_$][\w$]*/giu;
const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/gu;

function forbiddenIn(name: string): readonly string[] {
  const words = name.match(WORD) ?? [];
  return words.map((word) => word.toLowerCase()).filter((word) => FORBIDDEN.has(word));
}

async function sources(): Promise<readonly string[]> {
  const names = await readdir(ROOT, { recursive: true });
  return names.filter(
    (name) => DIRECTORIES.test(name) && /\.tsx?$/u.test(name) && !name.includes('node_modules'),
  );
}

test('a forbidden word is found in identifiers and not in texts', () => {
  const code = "const lenderFor = 'a house'; // roster";
  const found = code.replace(TEXT, '').match(IDENTIFIER)?.flatMap(forbiddenIn);
  expect(found).toEqual(['lender']);
});

test('identifiers and file names have none of the words that the glossary replaced', async () => {
  const found: string[] = [];
  for (const file of await sources()) {
    if (forbiddenIn(basename(file)).length > 0) found.push(file);
    const code = (await readFile(join(ROOT, file), 'utf8')).replace(TEXT, '');
    for (const name of new Set(code.match(IDENTIFIER))) {
      if (forbiddenIn(name).length > 0) found.push(`${file}: ${name}`);
    }
  }
  expect(found).toEqual([]);
});
