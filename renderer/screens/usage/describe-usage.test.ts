import { expect, test } from 'vitest';
import { describeChange, describePeriod, formatRate } from './describe-usage.ts';

test.each([
  [125, 100, '25% more than before'],
  [75, 100, '25% less than before'],
  [100, 100, 'as before'],
  [5_000, 100, 'over ten times as much'],
  [5, 0, null],
  [null, 5, null],
])('%s against %s is %s', (now, before, text) => {
  expect(describeChange(now, before)).toBe(text);
});

test('a rate has a separator of thousands, and a decimal below ten', () => {
  expect([null, 7.42, 85.3, 2737].map(formatRate)).toEqual(['–', '7.4', '85', '2,737']);
});

test('a period of one day is named by it', () => {
  expect(describePeriod({ since: '2026-11-21', until: '2026-11-21' })).toBe('Nov 21');
  expect(describePeriod({ since: '2026-11-01', until: '2026-11-21' })).toBe('Nov 1 – Nov 21');
});
