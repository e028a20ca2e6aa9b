import { expect, test } from 'vitest';
import { formatMatchCount } from './format-match-count.ts';

test('a count states no more than was counted', () => {
  expect([0, 1, 100_000, 100_001].map(formatMatchCount)).toEqual([
    '0 exchanges',
    '1 exchange',
    '100,000 exchanges',
    'more than 100,000 exchanges',
  ]);
});
