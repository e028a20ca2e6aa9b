import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FILE = join(import.meta.dirname, '..', '..', '..', 'out', 'repeated.json');

/** Names of the tests that passed only when repeated, by runner. */
type Repeated = Partial<Record<'vitest' | 'playwright', readonly string[]>>;

function read(): Repeated {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'));
  } catch {
    // The first runner of a clean checkout finds no file.
    return {};
  }
}

/** Writes what a runner had to repeat to `out/repeated.json`, and names it at the end of its output. */
export function reportRepeated(runner: keyof Repeated, names: readonly string[]): void {
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, `${JSON.stringify({ ...read(), [runner]: names }, null, 2)}\n`);
  if (names.length > 0) console.log(`\nrepeated: ${names.length}, ${names.join('; ')}`);
}
