import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { GATEWAY_FAILURES } from '../../../shared/failure/gateway-failures.ts';
import { isProblemCode, PROBLEMS, toWireCode } from '../../../shared/problem.ts';
import { RepairCode } from '../../../shared/exchange/repair.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** README.md, CONTRIBUTING.md and every page in docs/, as paths below the repository. */
async function pages(): Promise<readonly string[]> {
  const docs = await readdir(join(ROOT, 'docs'), { recursive: true });
  const inDocs = docs.filter((name) => name.endsWith('.md')).map((name) => join('docs', name));
  return ['README.md', 'CONTRIBUTING.md', ...inDocs];
}

test('every relative link in the docs leads to a file', async () => {
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

test('docs/error-codes.md has every error of Gatehouse, in the words of the window', async () => {
  const page = await readFile(join(ROOT, 'docs/error-codes.md'), 'utf8');
  const lines = Object.keys(PROBLEMS)
    .filter(isProblemCode)
    .map((code) => {
      const { title, meaning, advice, ...failure } = GATEWAY_FAILURES[code];
      const wireCode = toWireCode(code) === code ? '' : ` \`${toWireCode(code)}\``;
      const cost = failure.cost === undefined ? '' : ` ${failure.cost}`;
      return `| \`${code}\` | ${PROBLEMS[code].status} |${wireCode} | ${title}. ${meaning}${cost} | ${advice.join(' ')} |`;
    });
  expect(page.split('\n').filter((line) => line.startsWith('| `'))).toEqual(lines);
});

test('docs/data-model.md names every table of both databases', async () => {
  const page = await readFile(join(ROOT, 'docs/data-model.md'), 'utf8');
  for (const file of ['tables', 'chat-tables']) {
    const source = await readFile(join(ROOT, `gateway/store/${file}.ts`), 'utf8');
    const tables = [...source.matchAll(/^ {2}readonly (\w+): \w+Table;$/gm)].map(
      ([, name]) => name,
    );
    expect(tables.length).toBeGreaterThan(3);
    for (const table of tables) expect(page).toContain(`\`${table}\``);
  }
});

test('docs/data-model.md has a line for every table of the bodies', async () => {
  const page = await readFile(join(ROOT, 'docs/data-model.md'), 'utf8');
  const [, section = ''] = page.split('\n## `bodies.db`');
  for (const file of ['open-body-database', 'runs/run-tables', 'search/text-tables']) {
    const source = await readFile(join(ROOT, `gateway/bodies/${file}.ts`), 'utf8');
    const tables = [...source.matchAll(/^create (?:virtual )?table if not exists (\w+)/gmu)].map(
      ([, name]) => name,
    );
    expect(tables.length).toBeGreaterThan(1);
    for (const table of tables) expect(section).toContain(`\n| \`${table}\` |`);
  }
});

test('the index of decisions lists every page with its heading', async () => {
  const folder = join(ROOT, 'docs/decisions');
  const names = (await readdir(folder)).filter((name) => name !== 'README.md').toSorted();
  const lines = await Promise.all(
    names.map(async (name) => {
      const [heading = ''] = (await readFile(join(folder, name), 'utf8')).split('\n');
      const [, number, title] = /^# (\d+)\. (.+)$/u.exec(heading) ?? [];
      return `${number}. [${title}](${name})`;
    }),
  );
  const index = await readFile(join(folder, 'README.md'), 'utf8');
  expect(index.split('\n').filter((line) => /^\d/u.test(line))).toEqual(lines);
});

test('files that the sections of the architecture name exist below the folder that each gives', async () => {
  const text = await readFile(join(ROOT, 'docs/architecture.md'), 'utf8');
  const missing: string[] = [];
  for (const section of text.split(/^## /mu)) {
    const [, below] = /below\s+`([a-z/]+\/)`/u.exec(section) ?? [];
    if (below === undefined) continue;
    for (const [, path = ''] of section.matchAll(/`([a-z-]+\/[a-z/-]+(?:\.ts)?)`/gu)) {
      const bases = [below, '', 'gateway/'];
      const isThere = bases.some((base) =>
        ['', '.ts'].some((end) => existsSync(join(ROOT, base, path + end))),
      );
      if (!isThere) missing.push(path);
    }
  }
  expect(missing).toEqual([]);
});

test('files that the how-to pages and the architecture name exist', async () => {
  const named: { readonly page: string; readonly path: string }[] = [];
  for (const page of await pages()) {
    if (!/^docs\/(?:how-to\/|architecture|data-model|GLOSSARY)/u.test(page)) continue;
    const text = await readFile(join(ROOT, page), 'utf8');
    for (const [, path = ''] of text.matchAll(
      /`((?:shared|gateway|renderer|sandbox|host|cli|electron|launcher|test|docs)\/[\w./-]+)`/gu,
    )) {
      named.push({ page, path });
    }
  }
  expect(named.length).toBeGreaterThan(20);
  const missing = named.filter(
    ({ path }) => !existsSync(join(ROOT, path)) && !existsSync(join(ROOT, `${path}.ts`)),
  );
  expect(missing).toEqual([]);
});
