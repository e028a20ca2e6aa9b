import { expect, test } from 'vitest';
import { count, counted, duration, moment, shorten } from './figures.ts';

test('counts have thousands separators, and an unknown one is a dash', () => {
  expect([count(0), count(1_234_567), count(null)]).toEqual(['0', '1,234,567', '–']);
  expect([counted(1, 'model'), counted(2_000, 'model')]).toEqual(['1 model', '2,000 models']);
});

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1_000, '1.0 s'],
  [59_949, '59.9 s'],
  [60_000, '1 min 0 s'],
  [125_000, '2 min 5 s'],
  [3_600_000, '1 h 0 min'],
  [5 * 24 * 3_600_000, '5 days'],
  [null, '–'],
])('%s milliseconds are written %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test('a moment is local time down to the second', () => {
  expect(moment(new Date(2026, 0, 2, 3, 4, 5).getTime())).toBe('2026-01-02 03:04:05');
  expect(moment(null)).toBe('–');
});

test('a text is cut by letters, not in the middle of one', () => {
  expect(shorten('short', 5)).toBe('short');
  expect(shorten('longer text', 5)).toBe('long…');
  expect(shorten('🎬🎬🎬🎬', 3)).toBe('🎬🎬…');
});
