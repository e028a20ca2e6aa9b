import { expect, test } from 'vitest';
import { shortenList } from './shorten-list.ts';

const BOUNDS = { maxEntries: 2, maxLevels: 4 };

function withArrays(count: number): string {
  const members = Array.from({ length: count }, (_, n) => `"a${n}":[1,2,3]`);
  return `{${members.join()}}`;
}

test('each array keeps entries up to the limit', () => {
  const { text, large, many } = shortenList(withArrays(1000), BOUNDS);
  expect(text).toBe(withArrays(1000).replaceAll('[1,2,3]', '[1,2]'));
  expect({ large, many }).toEqual({ large: 0, many: 1000 });
});

test('a text with more arrays than any response has is unchanged, so that it uses no more memory', () => {
  const text = withArrays(1001);
  expect(shortenList(text, BOUNDS)).toEqual({ text, large: 0, many: 0 });
});
