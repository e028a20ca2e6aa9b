import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FAULTS } from '../../reliability/page/faults.ts';
import { MEASURED, reliabilityPage } from '../../reliability/page/page.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

test('docs/reliability.md equals the page that is generated from its table', async () => {
  const page = await readFile(join(ROOT, 'docs', 'reliability.md'), 'utf8');
  expect(page.slice(0, page.indexOf(MEASURED))).toBe(reliabilityPage());
});

test.each(FAULTS.map((fault) => [fault.fault, fault]))(
  'the fault “%s” names an existing test',
  async (_, fault) => {
    const source = await readFile(join(ROOT, fault.file), 'utf8');
    expect(source).toContain(fault.test);
  },
);
