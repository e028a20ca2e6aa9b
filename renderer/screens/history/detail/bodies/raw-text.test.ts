import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffJson } from '../../../../../shared/compare/diff-json.ts';
import { findMatches, markMatches, splitChunks } from './find-matches.ts';
import { shortenJson } from './shorten-json.ts';

test('a search finds any characters, without regard to case', () => {
  expect(findMatches('a.b A.B axb', 'a.B')).toEqual([0, 4]);
  expect(findMatches('[x] (y)', '(')).toEqual([4]);
  expect(findMatches('abc', '')).toEqual([]);
  expect(findMatches('x'.repeat(5_000), 'x')).toHaveLength(1_000);
});

test('chunks and their pieces make up the whole text, and each match is marked', () => {
  const line = fc.string({ maxLength: 60 });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 900 }), fc.nat(9_000), (lines, at) => {
      const text = `${lines.join('\n')}needle`;
      const cut = Math.min(at, text.length);
      const chunks = splitChunks(text, cut);
      expect(chunks.map((chunk) => chunk.text).join('')).toBe(text);
      expect(cut === text.length || chunks.some(({ from }) => from === cut)).toBe(true);
      const matches = findMatches(text, 'needle');
      const pieces = chunks.flatMap((chunk) => markMatches(chunk, matches, 6));
      expect(pieces.map((piece) => piece.text).join('')).toBe(text);
      const marked = pieces.filter(({ match }) => match === matches.length - 1);
      expect(marked.map((piece) => piece.text).join('')).toBe('needle');
    }),
    { numRuns: 30 },
  );
});

test('a difference has its path and both values', () => {
  const before = { model: 'a', list: [{ x: 1 }, 2], gone: true };
  const after = { model: 'b', list: [{ x: 1 }, 2, 3], added: null };
  expect(diffJson(before, after)).toEqual([
    { path: 'model', before: 'a', after: 'b' },
    { path: 'list[2]', before: undefined, after: 3 },
    { path: 'gone', before: true, after: undefined },
    { path: 'added', before: undefined, after: null },
  ]);
  expect(diffJson(after, after)).toEqual([]);
  expect(diffJson([1], { 0: 1 })).toHaveLength(1);
});

test('equal values have no difference', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(diffJson(JSON.parse(json), JSON.parse(json))).toEqual([]);
    }),
  );
});

test('long texts and lists are shortened, and deep ones are cut', () => {
  expect(shortenJson({ a: 'x'.repeat(700) })).toEqual({
    a: `${'x'.repeat(600)}… (700 characters)`,
  });
  const list = shortenJson(Array.from({ length: 300 }, () => 0));
  expect(list).toHaveLength(201);
  expect(list).toContain('… 100 more');
  const deep: unknown = JSON.parse(`${'['.repeat(10_000)}${']'.repeat(10_000)}`);
  expect(JSON.stringify(shortenJson(deep))).toContain('nested too deeply');
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), (json) => {
      const value: unknown = JSON.parse(json);
      expect(shortenJson(value)).toEqual(value);
    }),
  );
});
