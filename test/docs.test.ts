import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { RepairCode } from '../shared/repair.ts';

const ROOT = join(import.meta.dirname, '..');

/** README.md, CONTRIBUTING.md and every page in docs/, as paths below the repository. */
async function pages(): Promise<readonly string[]> {
  const docs = await readdir(join(ROOT, 'docs'), { recursive: true });
  const inDocs = docs.filter((name) => name.endsWith('.md')).map((name) => join('docs', name));
  return ['README.md', 'CONTRIBUTING.md', ...inDocs];
}

test('every relative link in the pages leads to a file', async () => {
  const links = (
    await Promise.all(
      (await pages()).map(async (page) => {
        const text = await readFile(join(ROOT, page), 'utf8');
        return [...text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].map(([, to = '']) => ({
          page,
          to,
        }));
      }),
    )
  ).flat();
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter(({ page, to }) => !existsSync(join(ROOT, dirname(page), to)))).toEqual([]);
});

test('docs/repairs.md has a line for every repair and none for others', async () => {
  const page = await readFile(join(ROOT, 'docs/repairs.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map(([, code]) => code);
  expect(listed).toHaveLength(RepairCode.options.length);
  expect(new Set(listed)).toEqual(new Set(RepairCode.options));
});
