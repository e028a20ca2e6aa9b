import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ExchangeIds } from './exchange-ids.ts';

const year2500 = Date.UTC(2500, 0);

test('every id is greater than the one before, whatever the clock does', () => {
  const clocks = fc.array(fc.integer({ min: 0, max: year2500 }), { minLength: 2 });
  fc.assert(
    fc.property(clocks, fc.uint8Array({ minLength: 2, maxLength: 2 }), (times, random) => {
      const ids = new ExchangeIds(() => random);
      const made = times.map((time) => ids.next(time));
      expect(new Set(made).size).toBe(made.length);
      expect(made.toSorted()).toEqual(made);
      for (const id of made) expect(id).toMatch(/^ex-[0-9a-f]{16}$/);
    }),
  );
});

test('a clock that stands at 1970, or before it, gives whole ids', () => {
  const ids = new ExchangeIds(() => Uint8Array.of(0, 0));
  const made = [0, -5, 0].map((time) => ids.next(time));
  for (const id of made) expect(id).toMatch(/^ex-[0-9a-f]{16}$/);
  expect(made.toSorted()).toEqual(made);
});

test('a million ids of one millisecond are different and in order', () => {
  const ids = new ExchangeIds(() => Uint8Array.of(255, 255));
  let last = '';
  for (let made = 0; made < 1_100_000; made += 1) {
    const id = ids.next(1_767_225_600_000);
    if (id <= last) throw new Error(`${id} after ${last}`);
    last = id;
  }
  expect(last).toHaveLength(19);
});
