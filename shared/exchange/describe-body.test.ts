import { expect, test } from 'vitest';
import { describeCounted, describeEarlier } from './describe-body.ts';

const WHOLE = { start: 'whole', gap: null, isCutOff: false, isAmbiguous: false } as const;
const NOT_KEPT = /not kept/u;
const TOO_LONG = /too long to be rebuilt/u;

test.each([
  ['too long', TOO_LONG, NOT_KEPT],
  ['not kept', NOT_KEPT, TOO_LONG],
  ['too many', /too many to be rebuilt/u, TOO_LONG],
] as const)('messages whose beginning is %s are described as that only', (start, right, wrong) => {
  for (const count of [0, 3]) {
    const earlier = { ...WHOLE, start, count };
    for (const text of [describeEarlier(earlier), describeCounted(earlier)]) {
      expect(text).toMatch(right);
      expect(text).not.toMatch(wrong);
    }
    expect(describeEarlier(earlier).split(right)).toHaveLength(2);
  }
});

test('a request that continues one without messages lacks nothing', () => {
  const text = describeEarlier({ ...WHOLE, count: 0 });
  expect(text).toContain('without messages');
  expect(text).not.toMatch(NOT_KEPT);
});
