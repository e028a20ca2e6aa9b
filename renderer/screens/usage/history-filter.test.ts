import { expect, test } from 'vitest';
import { findHour, toHourFilter } from './history-filter.ts';

const WEEK = { since: '2026-11-16', until: '2026-11-22' };

test('an hour of the week is a time where the period has it once', () => {
  expect(findHour(WEEK, 0, 9)).toBe(new Date(2026, 10, 16, 9).getTime());
  expect(findHour(WEEK, 6, 23)).toBe(new Date(2026, 10, 22, 23).getTime());
  expect(findHour({ since: '2026-11-21', until: '2026-11-21' }, 5, 0)).toBe(
    new Date(2026, 10, 21).getTime(),
  );
  expect(findHour({ since: '2026-11-21', until: '2026-11-21' }, 4, 0)).toBeNull();
  const eightDays = { since: '2026-11-15', until: '2026-11-22' };
  expect(findHour(eightDays, 0, 9)).toBe(new Date(2026, 10, 16, 9).getTime());
  expect(findHour(eightDays, 6, 9)).toBeNull();
});

test('the filter of an hour has its two ends and the term of the totals', () => {
  const filter = toHourFilter(new Date(2026, 10, 16, 9).getTime(), '-service:sandbox');
  expect(filter).toBe('since:2026-11-16T09:00 until:2026-11-16T10:00 -service:sandbox');
});
