import { expect, test } from 'vitest';
import { durationText } from './figures.ts';

test('a duration is named in the unit that it is rounded to', () => {
  expect([0.4, 999.4, 999.6, 59_940, 59_960, 3_600_000].map(durationText)).toEqual([
    '< 1 ms',
    '999 ms',
    '1.0 s',
    '59.9 s',
    '1 min 0 s',
    '1 h 0 min',
  ]);
});
