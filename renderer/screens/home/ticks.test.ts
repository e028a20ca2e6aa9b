import { assert, integer, property } from 'fast-check';
import { expect, test } from 'vitest';
import { ticksUpTo } from './ticks.ts';

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [20, [0, 5, 10, 15, 20]],
  [21, [0, 10, 20, 30]],
  [1234, [0, 500, 1000, 1500]],
])('up to %d the lines are %j', (max, lines) => {
  expect(ticksUpTo(max)).toEqual(lines);
});

test('whatever the highest bar, it ends below the top line, and there are few lines', () => {
  assert(
    property(integer({ min: 0, max: 1_000_000_000_000 }), (max) => {
      const ticks = ticksUpTo(max);
      expect(ticks.length).toBeLessThanOrEqual(5);
      expect(ticks[0]).toBe(0);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(max);
      expect(ticks.every((tick) => Number.isInteger(tick))).toBe(true);
    }),
  );
});
