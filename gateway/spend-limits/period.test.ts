import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { TimePeriod } from '../../shared/money/limit.ts';
import { calendarPeriod } from './period.ts';

const anInstant = fc.integer({ min: 0, max: 4_102_444_800_000 });
const aPeriod = fc.constantFrom(...TimePeriod.options);

it('a period contains its moment, and the next one begins where it ends', () => {
  fc.assert(
    fc.property(anInstant, aPeriod, (at, period) => {
      const { from, to } = calendarPeriod(period, at);
      expect(from).toBeLessThanOrEqual(at);
      expect(to).toBeGreaterThan(at);
      expect(calendarPeriod(period, from)).toEqual({ from, to });
      expect(calendarPeriod(period, to - 1)).toEqual({ from, to });
      expect(calendarPeriod(period, to).from).toBe(to);
    }),
  );
});
