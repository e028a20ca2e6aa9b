import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { Timeline, type Use } from './timeline.ts';

const MINUTE = 60_000;

const anAct = fc.oneof(
  fc.record({
    add: fc.integer({ min: 0, max: 60 * MINUTE }),
    money: fc.integer({ min: -50, max: 50 }),
  }),
  fc.record({
    from: fc.integer({ min: 0, max: 60 * MINUTE }),
    length: fc.integer({ min: 0, max: 40 }),
  }),
);

it('sums what was added in the minutes of a span, in any order of adding and asking', () => {
  fc.assert(
    fc.property(fc.array(anAct, { maxLength: 60 }), (acts) => {
      const timeline = new Timeline();
      const added: { at: number; use: Use }[] = [];
      for (const act of acts) {
        if ('add' in act) {
          const use = { money: act.money, tokens: 2 * act.money, requests: 1 };
          timeline.add(act.add, use);
          added.push({ at: act.add, use });
          continue;
        }
        const from = Math.floor(act.from / MINUTE) * MINUTE;
        const to = from + act.length * MINUTE;
        const within = added.filter(({ at }) => at >= from && at < to);
        expect(timeline.sum({ from: act.from, to })).toEqual({
          money: within.reduce((sum, { use }) => sum + use.money, 0),
          tokens: within.reduce((sum, { use }) => sum + use.tokens, 0),
          requests: within.length,
        });
      }
    }),
  );
});

it('forgets what is trimmed, and knows the first minute of a span', () => {
  const timeline = new Timeline();
  for (const minute of [1, 5, 9])
    timeline.add(minute * MINUTE, { money: 1, tokens: 1, requests: 1 });
  timeline.trim(5 * MINUTE);
  expect(timeline.sum({ from: 0, to: Number.POSITIVE_INFINITY }).requests).toBe(2);
  expect(timeline.firstIn({ from: 0, to: 20 * MINUTE })).toBe(5 * MINUTE);
  expect(timeline.firstIn({ from: 10 * MINUTE, to: 20 * MINUTE })).toBeNull();
});
