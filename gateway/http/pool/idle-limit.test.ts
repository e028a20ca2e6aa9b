import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { IdleLimit } from './idle-limit.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function afterCloses(...closes: readonly (readonly [idleMs: number, at: number])[]): IdleLimit {
  const limit = new IdleLimit();
  for (const [idleMs, at] of closes) limit.closed(idleMs, at);
  return limit;
}

describe('The idle limit', () => {
  test('is unknown at first, and after a single close', () => {
    expect(new IdleLimit().limitMs(0)).toBeNull();
    expect(afterCloses([MINUTE, 0]).limitMs(1)).toBeNull();
  });

  test('is below the idle time after which two connections in a row were closed', () => {
    const limit = afterCloses([MINUTE, 0], [66_000, 2 * MINUTE]);
    expect(limit.limitMs(2 * MINUTE)).toBe(54_000);
    expect(afterCloses([5_000, 0], [5_100, MINUTE]).limitMs(MINUTE)).toBe(4_000);
  });

  test('is zero for a service that closes at once', () => {
    expect(afterCloses([400, 0], [400, MINUTE]).limitMs(MINUTE)).toBe(0);
  });

  test('is not set by a restart, which closes several connections in one moment', () => {
    const same = afterCloses([MINUTE, 0], [MINUTE, 10], [MINUTE, 20]);
    expect(same.limitMs(20)).toBeNull();
    const mixed = afterCloses([MINUTE, 0], [9_000, 10], [9_000, MINUTE]);
    expect(mixed.limitMs(MINUTE)).toBeNull();
  });

  test('is not set by closes after different idle times', () => {
    expect(afterCloses([MINUTE, 0], [30_000, MINUTE], [9_000, HOUR / 2]).limitMs(HOUR)).toBeNull();
  });

  test('is forgotten after an hour, and so is a single close', () => {
    const limit = afterCloses([MINUTE, 0], [MINUTE, MINUTE]);
    expect(limit.limitMs(MINUTE + HOUR - 1)).toBe(54_000);
    expect(limit.limitMs(MINUTE + HOUR)).toBeNull();
    expect(afterCloses([MINUTE, 0], [MINUTE, HOUR]).limitMs(HOUR)).toBeNull();
  });

  test('follows a service that changes its idle time', () => {
    const limit = afterCloses([MINUTE, 0], [MINUTE, MINUTE], [9_000, 2 * MINUTE]);
    expect(limit.limitMs(2 * MINUTE)).toBe(54_000);
    limit.closed(9_000, 3 * MINUTE);
    expect(limit.limitMs(3 * MINUTE)).toBe(8_000);
  });

  test('is always at least a second below an idle time that was seen, whatever happens', () => {
    const close = fc.tuple(fc.nat(10 * MINUTE), fc.nat(2 * MINUTE));
    fc.assert(
      fc.property(fc.array(close), (closes) => {
        const limit = new IdleLimit();
        let now = 0;
        let longest = 0;
        for (const [idleMs, pauseMs] of closes) {
          now += pauseMs;
          longest = Math.max(longest, idleMs);
          limit.closed(idleMs, now);
          const ms = limit.limitMs(now);
          if (ms !== null) expect(ms).toBeLessThanOrEqual(Math.max(0, longest - 1_000));
          if (ms !== null) expect(ms).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });
});
