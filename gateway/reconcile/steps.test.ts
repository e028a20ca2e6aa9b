import * as fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { endOfStep, startOfStep } from './steps.ts';

const zone = process.env['TZ'];
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

test('every time is in one step, and the next one begins at its end', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/St_Johns'),
      fc.constantFrom('day', 'hour'),
      fc.constantFrom('utc', 'local'),
      fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2027, 0) }),
      (tz, rows, timeZone, at) => {
        process.env['TZ'] = tz;
        const steps = { rows, timeZone } as const;
        const [start, end] = [startOfStep(at, steps), endOfStep(at, steps)];
        expect(start <= at && at < end).toBe(true);
        expect(startOfStep(start, steps)).toBe(start);
        expect(startOfStep(end - 1, steps)).toBe(start);
        expect(startOfStep(end, steps)).toBe(end);
        const begin = new Date(start);
        expect(timeZone === 'utc' ? begin.getUTCMinutes() : begin.getMinutes()).toBe(0);
      },
    ),
    { numRuns: 1_000 },
  );
});
