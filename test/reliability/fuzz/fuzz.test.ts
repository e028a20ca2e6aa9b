import { spawnSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TARGETS } from './targets.ts';

/** Number of cases: every stored input and a few thousand mutations. */
const CASES = 4_000;

test('stored inputs and their mutations violate no invariant of any parser of external input', () => {
  const seed = process.env['FUZZ_SEED'] ?? '1';
  const args = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'main.ts')];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...args, '--cases', String(CASES), '--seed', seed],
    { encoding: 'utf8' },
  );
  expect([status, stderr]).toEqual([0, '']);
  for (const { name } of TARGETS)
    expect(stdout).toMatch(new RegExp(`\\| ${name} \\| \\d{4,} \\|`, 'u'));
}, 120_000);

test('every target has stored inputs', async () => {
  const files = await readdir(join(import.meta.dirname, 'corpus'));
  expect(files.toSorted()).toEqual(TARGETS.map(({ name }) => `${name}.jsonl`).toSorted());
});
