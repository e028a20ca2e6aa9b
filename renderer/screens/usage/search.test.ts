import { expect, test } from 'vitest';
import { readUsageSearch, toPeriod } from './search.ts';

const TODAY = new Date(2026, 10, 21).getTime();

test.each([
  [{}, '2026-11-15', '2026-11-21'],
  [{ period: 'today' }, '2026-11-21', '2026-11-21'],
  [{ period: '30d' }, '2026-10-23', '2026-11-21'],
  [{ period: 'month' }, '2026-11-01', '2026-11-21'],
  [{ period: 'custom', since: '2026-01-02' }, '2026-01-02', '2026-11-21'],
] as const)('the period %j is from %s to %s', (chosen, since, until) => {
  expect(toPeriod(chosen, TODAY)).toEqual({ since, until });
});

test('parameters that mean nothing are dropped', () => {
  const read = readUsageSearch({
    period: 'year',
    since: 'x',
    until: 3,
    by: 'model',
    measure: null,
  });
  expect(read).toMatchObject({ by: 'model' });
  expect(read.period ?? read.since ?? read.until ?? read.measure).toBeUndefined();
});
