import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDay } from '../../shared/format.ts';
import { createDayFormatter } from './days.ts';

test('a day that is remembered is the right one, also around midnight and back in time', () => {
  const midnight = new Date(2026, 2, 29).getTime();
  const step = fc.integer({ min: -2 * 3_600_000, max: 2 * 3_600_000 });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 50 }), (steps) => {
      const toDay = createDayFormatter();
      for (const ms of steps) expect(toDay(midnight + ms)).toBe(formatDay(midnight + ms));
    }),
  );
});
