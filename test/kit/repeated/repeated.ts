import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const FILE = join(import.meta.dirname, '..', '..', '..', 'out', 'repeated.json');

/** A test that passed only when repeated, with the error of its first try. */
export interface RepeatedTest {
  readonly name: string;
  readonly error: string;
}

/** The tests that the latest run of each command repeated, by the name of its npm script, or else of its runner. */
type Repeated = Readonly<Record<string, readonly RepeatedTest[]>>;

function read(): Repeated {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'));
  } catch {
    // The first command of a clean checkout finds no file.
    return {};
  }
}

/** Writes what a run had to repeat to `out/repeated.json`, and names it at the end of its output. */
export function reportRepeated(runner: string, tests: readonly RepeatedTest[]): void {
  const plain = tests.map(({ name, error }) => ({ name, error: stripVTControlCharacters(error) }));
  const script = process.env['npm_lifecycle_event'];
  const command = script === undefined || script === 'npx' ? runner : script;
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, `${JSON.stringify({ ...read(), [command]: plain }, null, 2)}\n`);
  if (plain.length === 0) return;
  console.log(`\nrepeated: ${plain.length}`);
  for (const { name, error } of plain) console.log(`- ${name}\n  ${error.split('\n', 1)[0]}`);
}
