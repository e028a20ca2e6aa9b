import { expect, test } from 'vitest';
import { formatShortDate } from '../../format/format.ts';
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

test('a period is named by its days, with the year of those of another', () => {
  const now = new Date(2026, 11, 1).getTime();
  const old = new Date(2025, 11, 30).getTime();
  const recent = formatShortDate(new Date(2026, 0, 2).getTime(), now);
  expect(formatShortDate(old, now)).toContain('2025');
  expect(recent).not.toContain('2026');
  expect(describePeriod({ since: '2026-01-02', until: '2026-01-02' }, now)).toBe(recent);
  expect(describePeriod({ since: '2025-12-30', until: '2026-01-02' }, now)).toBe(
    `${formatShortDate(old, now)} – ${recent}`,
  );
  const later = formatShortDate(new Date(2025, 11, 31).getTime(), now);
  expect(describePeriod({ since: '2025-12-30', until: '2025-12-31' }, now)).toBe(
    `${formatShortDate(old, old)} – ${later}`,
  );
});
