import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseByteRange } from './file-response.ts';

test.for<[field: string | undefined, range: ReturnType<typeof parseByteRange>]>([
  [undefined, 'all'],
  ['bytes=0-0', { first: 0, last: 0 }],
  ['bytes=0-', { first: 0, last: 99 }],
  ['bytes=90-200', { first: 90, last: 99 }],
  ['bytes=-10', { first: 90, last: 99 }],
  ['bytes=-1000', { first: 0, last: 99 }],
  ['bytes = 1 - 2', { first: 1, last: 2 }],
  ['bytes=100-', 'none'],
  ['bytes=-0', 'none'],
  ['bytes=5-4', 'all'],
  ['bytes=0-1,5-6', 'all'],
  ['bytes=-', 'all'],
  ['lines=0-1', 'all'],
  ['bytes=99999999999999999999999-', 'none'],
])('the range %j of 100 bytes is %j', ([field, range]) => {
  expect(parseByteRange(field, 100)).toEqual(range);
});

test('a parsed byte range always lies within the file', () => {
  const number = fc.option(fc.nat(200)).map((value) => value ?? '');
  fc.assert(
    fc.property(number, number, fc.integer({ min: 1, max: 150 }), (from, to, size) => {
      const range = parseByteRange(`bytes=${from}-${to}`, size);
      if (typeof range === 'string') return;
      expect(range.first).toBeGreaterThanOrEqual(0);
      expect(range.first).toBeLessThanOrEqual(range.last);
      expect(range.last).toBeLessThan(size);
    }),
  );
});
