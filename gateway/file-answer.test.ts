import { expect, test } from 'vitest';
import { assert, constant, nat, oneof, property, string } from 'fast-check';
import { readRange } from './file-answer.ts';

test.each([
  [undefined, 10, null],
  ['', 10, null],
  ['bytes=', 10, null],
  ['bytes=-', 10, null],
  ['items=0-3', 10, null],
  ['bytes=0-3,5-6', 10, null],
  ['bytes=5-3', 10, null],
  ['bytes=a-b', 10, null],
  ['bytes=0-', 10, { start: 0, end: 9 }],
  ['bytes=3-5', 10, { start: 3, end: 5 }],
  ['bytes=9-9', 10, { start: 9, end: 9 }],
  ['bytes=3-99999', 10, { start: 3, end: 9 }],
  ['bytes=-4', 10, { start: 6, end: 9 }],
  ['bytes=-40', 10, { start: 0, end: 9 }],
  ['bytes=10-', 10, 'beyond'],
  ['bytes=-0', 10, 'beyond'],
  ['bytes=0-', 0, 'beyond'],
])('%s of %i bytes', (header, size, range) => {
  expect(readRange(header, size)).toEqual(range);
});

test('whatever is asked for, a range lies within the file', () => {
  const number = oneof(constant(''), nat().map(String), string({ maxLength: 3 }));
  assert(
    property(number, number, nat(), (from, to, size) => {
      const range = readRange(`bytes=${from}-${to}`, size);
      if (range === null || range === 'beyond') return;
      expect(range.start).toBeGreaterThanOrEqual(0);
      expect(range.start).toBeLessThanOrEqual(range.end);
      expect(range.end).toBeLessThan(size);
    }),
  );
});
