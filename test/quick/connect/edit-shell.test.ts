import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { CONFIG_FORMATS } from '../../../gateway/connect/edit/config-format.ts';
import { VARIABLE } from './random/random-fields.ts';

const { env } = CONFIG_FORMATS;
const FOLDER = mkdtempSync(join(tmpdir(), 'edit-shell-'));
const SCRIPT = 'set -a; . "$1"; for name in $2; do printenv "$name"; printf "\\0"; done';

afterAll(() => rmSync(FOLDER, { recursive: true }));

/** Returns the variables as a shell has them that runs the file. */
function runFile(text: string, names: readonly string[]): readonly string[] {
  const file = join(FOLDER, '.env');
  writeFileSync(file, text);
  const output = execFileSync('sh', ['-c', SCRIPT, 'sh', file, names.join(' ')], {
    encoding: 'utf8',
  });
  return output.split('\n\0').slice(0, -1);
}

test.skipIf(process.platform === 'win32')('a shell reads the values that were written', () => {
  fc.assert(
    fc.property(fc.array(VARIABLE, { minLength: 2, maxLength: 10 }), (values) => {
      const names = values.map((_, index) => `NEW_${index}`);
      const fields = names.map((name, index) => ({ path: [name], value: values[index] ?? '' }));
      const text = env.set('# first\nNEW_0="old" # kept\nexport NEW_1 = other#value\n', fields);
      expect(runFile(text, names)).toEqual(values);
      for (const { path, value } of fields) expect(env.read(text, path)).toBe(value);
    }),
    { numRuns: 100 },
  );
});
