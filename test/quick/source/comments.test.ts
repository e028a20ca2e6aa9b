import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const DIRECTORIES =
  /^(?:shared|gateway|renderer|sandbox|host|cli|electron|launcher|build|bench|test)\//u;
const COMMENT = /\/\*[^]*?\*\/|\/\/[^\n]*/gu;
const DOC_COMMENT = /\/\*\*[^]*?\*\//gu;
const NAME = /[a-z_$][\w$]*/giu;

/** A quoted name with a capital inside, which is an identifier and no word, value or header. */
const IDENTIFIER = /`(\w*[a-z]\w*[A-Z]\w*)`/gu;
/** A quoted name that a comment describes as part of the declaration below it. */
const PART = /(?:(?:\/\*\*|[.;])\s+`(?!null`)(\w+)`:\s|(?:[Cc]alls|while) `(\w+)`)/gu;

/** Fields of services, which the code finds by patterns. */
const FOREIGN: ReadonlySet<string> = new Set(['hasNextPage', 'nextCursor']);

interface Source {
  readonly file: string;
  readonly comments: string;
  /** The names outside of comments. */
  readonly names: ReadonlySet<string>;
}

function parseSource(file: string, text: string): Source {
  const comments = (text.match(DOC_COMMENT) ?? []).join('\n').replace(/\n\s*\*/gu, '');
  return { file, comments, names: new Set(text.replace(COMMENT, '').match(NAME)) };
}

function quotedNames(comments: string, pattern: RegExp): readonly string[] {
  return [...comments.matchAll(pattern)].flatMap(([, ...names]) =>
    names.filter((name) => name !== undefined),
  );
}

/** Finds quoted names that no code has: identifiers in any file, parts of a declaration in the same file. */
function findUnknownNames(sources: readonly Source[]): readonly string[] {
  const all = new Set(sources.flatMap(({ names }) => [...names]));
  return sources.flatMap(({ file, comments, names }) => [
    ...quotedNames(comments, IDENTIFIER)
      .filter((name) => !all.has(name) && !(name in globalThis) && !FOREIGN.has(name))
      .map((name) => `${file}: ${name}`),
    ...quotedNames(comments, PART)
      .filter((name) => !names.has(name))
      .map((name) => `${file}: ${name}`),
  ]);
}

test('a name in a doc comment that no code has is found', () => {
  const known = parseSource('a.ts', 'export const someName = 1;');
  const text = `
    /** Uses \`someName\` and \`otherName\`. Calls
     * \`act\` once. \`show\`: whether it shows, \`to\`: a value. */
    function f(show: boolean): void { const text = 'to'; }`;
  expect(findUnknownNames([known, parseSource('b.ts', text)])).toEqual([
    'b.ts: otherName',
    'b.ts: act',
  ]);
});

test('the names in doc comments occur in the code', async () => {
  const files = (await readdir(ROOT, { recursive: true })).filter(
    (name) => DIRECTORIES.test(name) && /\.tsx?$/u.test(name) && !name.includes('node_modules'),
  );
  const sources = files.map(async (name) =>
    parseSource(name, await readFile(join(ROOT, name), 'utf8')),
  );
  expect(findUnknownNames(await Promise.all(sources))).toEqual([]);
});
