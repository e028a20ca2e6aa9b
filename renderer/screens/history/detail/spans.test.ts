import { describe, expect, test } from 'vitest';
import { spansOf } from './spans.ts';

describe('the time line of an exchange', () => {
  test('it goes through Gatehouse, waits for the first byte, and answers', () => {
    expect(spansOf({ overheadMs: 2, firstByteMs: 300, durationMs: 900 })).toEqual([
      { kind: 'gatehouse', from: 0, to: 2 },
      { kind: 'waiting', from: 2, to: 300 },
      { kind: 'answering', from: 300, to: 900 },
    ]);
  });

  test('what was not sent was in Gatehouse all the time', () => {
    expect(spansOf({ overheadMs: null, firstByteMs: null, durationMs: 4 })).toEqual([
      { kind: 'gatehouse', from: 0, to: 4 },
    ]);
  });

  test('without a first byte it waited to the end', () => {
    expect(spansOf({ overheadMs: 1, firstByteMs: null, durationMs: 50 }).at(-1)).toEqual({
      kind: 'waiting',
      from: 1,
      to: 50,
    });
  });

  test('no stretch ends before it begins, whatever the clock did', () => {
    for (const { from, to } of spansOf({ overheadMs: 80, firstByteMs: 60, durationMs: 70 })) {
      expect(to).toBeGreaterThanOrEqual(from);
    }
  });
});
