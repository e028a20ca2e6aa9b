import { describe, expect, test } from 'vitest';
import { toSpans } from './exchange-spans.ts';

describe('the time line of an exchange', () => {
  test('it goes through Gatehouse, waits for the first byte, and answers', () => {
    expect(toSpans({ attempts: 1, overheadMs: 2, firstByteMs: 300, durationMs: 900 })).toEqual([
      { kind: 'gatehouse', from: 0, to: 2 },
      { kind: 'waiting', from: 2, to: 300 },
      { kind: 'answering', from: 300, to: 900 },
    ]);
  });

  test('the time for which a person let it wait is no wait for the service', () => {
    const times = { overheadMs: 2, firstByteMs: 59_300, durationMs: 59_900 };
    expect(toSpans({ attempts: 1, ...times, heldMs: 59_000 })).toEqual([
      { kind: 'gatehouse', from: 0, to: 2 },
      { kind: 'held', from: 2, to: 59_002 },
      { kind: 'waiting', from: 59_002, to: 59_300 },
      { kind: 'answering', from: 59_300, to: 59_900 },
    ]);
  });

  test('a request that was not sent was in Gatehouse all the time', () => {
    for (const overheadMs of [null, 3]) {
      const times = { overheadMs, firstByteMs: null, durationMs: 4 };
      expect(toSpans({ attempts: 0, ...times })).toEqual([{ kind: 'gatehouse', from: 0, to: 4 }]);
    }
  });

  test('without a first byte it waited to the end', () => {
    expect(
      toSpans({ attempts: 1, overheadMs: 1, firstByteMs: null, durationMs: 50 }).at(-1),
    ).toEqual({
      kind: 'waiting',
      from: 1,
      to: 50,
    });
  });

  test('no stretch ends before it begins, whatever the clock did', () => {
    for (const { from, to } of toSpans({
      attempts: 1,
      overheadMs: 80,
      firstByteMs: 60,
      durationMs: 70,
    })) {
      expect(to).toBeGreaterThanOrEqual(from);
    }
  });
});
