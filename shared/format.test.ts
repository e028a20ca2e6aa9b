import { expect, test } from 'vitest';
import { formatBytes, formatSince, formatCount, formatDuration, pluralize } from './format.ts';

test('counts have thousands separators, and an unknown one is a dash', () => {
  expect([formatCount(0), formatCount(1_234_567), formatCount(null)]).toEqual([
    '0',
    '1,234,567',
    '–',
  ]);
  expect([pluralize(1, 'model'), pluralize(2_000, 'model')]).toEqual(['1 model', '2,000 models']);
});

test.each([
  [0, '0 ms'],
  [0.4, '< 1 ms'],
  [999.6, '1.0 s'],
  [999, '999 ms'],
  [1_000, '1.0 s'],
  [59_949, '59.9 s'],
  [60_000, '1 min 0 s'],
  [125_000, '2 min 5 s'],
  [3_600_000, '1 h 0 min'],
  [5 * 24 * 3_600_000, '5 days'],
  [null, '–'],
])('%s milliseconds are formatted as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [0, '0 B'],
  [1, '1 B'],
  [1_023, '1,023 B'],
  [1_024, '1.0 KiB'],
  [1_300_000, '1.2 MiB'],
  [800_000, '781 KiB'],
  [3 * 1024 ** 3, '3.0 GiB'],
])('%s bytes are formatted as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test('a time of another day includes the day', () => {
  const at = new Date(2026, 10, 21, 9, 30, 5).getTime();
  expect(formatSince(at, at + 60_000)).toBe('09:30');
  expect(formatSince(at, at + 24 * 3_600_000)).toBe('2026-11-21 09:30');
});
