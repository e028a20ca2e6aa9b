import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from './parse-json.ts';

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

test('JSON within the limits is parsed like JSON.parse', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      expect(parseJson(text)).toEqual(JSON.parse(text));
    }),
  );
  const lure = JSON.stringify({ a: '['.repeat(10_000), b: '\\"[{,'.repeat(10_000), 'c\\"': [{}] });
  expect(parseJson(lure)).toEqual(JSON.parse(lure));
  expect(() => parseJson('{"a":"')).toThrow(SyntaxError);
});

test('JSON that is nested too deeply, or has too many values, is not parsed', () => {
  expect(parseJson(nested(256))).toBeDefined();
  expect(() => parseJson(nested(257))).toThrow('nested more than 256 deep');
  expect(() => parseJson('['.repeat(8 * 1024 * 1024))).toThrow(SyntaxError);
  expect(() => parseJson(`[${'0,'.repeat(250_000)}0]`)).toThrow('more than 250000 values');
  expect(parseJson(`[${'0,'.repeat(249_999)}0]`)).toHaveLength(250_000);
});
