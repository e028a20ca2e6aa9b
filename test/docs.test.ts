import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RepairCode } from '../shared/repair.ts';

test('docs/repairs.md has a line for every repair and none for others', async () => {
  const page = await readFile(join(import.meta.dirname, '../docs/repairs.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map(([, code]) => code);
  expect(listed).toHaveLength(RepairCode.options.length);
  expect(new Set(listed)).toEqual(new Set(RepairCode.options));
});
