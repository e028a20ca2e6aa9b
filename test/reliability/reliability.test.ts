import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FAULTS } from './faults.ts';
import { MEASURED, reliabilityPage } from './page.ts';

const ROOT = join(import.meta.dirname, '..', '..');

test('docs/reliability.md is what its table makes', async () => {
  const page = await readFile(join(ROOT, 'docs', 'reliability.md'), 'utf8');
  expect(page.slice(0, page.indexOf(MEASURED))).toBe(reliabilityPage());
});

test.each(FAULTS.map((fault) => [fault.fault, fault]))(
  '%s: its test is there',
  async (_, fault) => {
    const source = await readFile(join(ROOT, fault.file), 'utf8');
    expect(source).toContain(fault.test);
  },
);
