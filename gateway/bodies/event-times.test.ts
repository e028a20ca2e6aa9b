import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { findEventTimes } from './event-times.ts';

test('an event is complete when the chunk with its blank line came', () => {
  const chunks = ['data: a\n', '\ndata: b\n\nda', 'ta: c\r\n\r', '\n: ping\n\n', 'data: d'];
  const marks: number[] = [];
  let bytes = 0;
  for (const [place, chunk] of chunks.entries()) marks.push((bytes += chunk.length), place * 10);
  const kept = Buffer.from(chunks.join(''));
  expect(findEventTimes(kept, { headBytes: kept.length, bytes, marks })).toEqual([10, 10, 30, 30]);
});

test('events after an omitted middle have the times of the chunks that they came in', () => {
  const kept = Buffer.from('data: a\n\ndata: z\n\n');
  const marks = [9, 1, 1_000, 2, 1_009, 3];
  expect(findEventTimes(kept, { headBytes: 9, bytes: 1_009, marks })).toEqual([1, 3]);
});

test('any bytes in any chunks give times in their order, one for each block', () => {
  const part = fc.constantFrom('data: x', '\n', '\r\n', '\n\n', ':', '');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      const marks: number[] = [];
      let bytes = 0;
      for (const [place, text] of parts.entries()) marks.push((bytes += text.length), place);
      const kept = Buffer.from(parts.join(''));
      const times = findEventTimes(kept, { headBytes: kept.length, bytes, marks });
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      const blocks = kept
        .toString()
        .split(/(?:\r?\n){2,}/u)
        .filter((block) => /[^\r\n]/u.test(block));
      const open = /[^\r\n]\r?\n?$/u.test(kept.toString()) ? 1 : 0;
      expect(times.length).toBe(blocks.length - open);
    }),
  );
});
