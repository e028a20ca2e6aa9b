import { expect, test } from 'vitest';
import { formatBytes, formatDuration } from '../../shared/format.ts';

test('a duration is named in the unit that it is rounded to', () => {
  expect([0.4, 999.4, 999.6, 59_940, 59_960, 3_600_000].map(formatDuration)).toEqual([
    '< 1 ms',
    '999 ms',
    '1.0 s',
    '59.9 s',
    '1 min 0 s',
    '1 h 0 min',
  ]);
});

test('a size is named in the units of the settings and the command line', () => {
  expect([0, 812, 1_024, 3_500, 800_000, 2 ** 21, 1.2 * 2 ** 30].map(formatBytes)).toEqual([
    '0 B',
    '812 B',
    '1.0 KiB',
    '3.4 KiB',
    '781 KiB',
    '2.0 MiB',
    '1.2 GiB',
  ]);
});
