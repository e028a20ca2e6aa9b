import { expect, test } from 'vitest';
import { formatMatchCount } from './format-match-count.ts';

test('a count states no more than was counted', () => {
  expect([0, 1, 100_000, 100_001].map(formatMatchCount)).toEqual([
    '0 requests',
    '1 request',
    '100,000 requests',
    'more than 100,000 requests',
  ]);
});
