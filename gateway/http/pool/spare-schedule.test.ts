import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ACTIVE_MS,
  FIRST_DELAY_MS,
  LEAD_MS,
  MAX_DELAY_MS,
  SpareSchedule,
} from './spare-schedule.ts';

function activeSchedule(): SpareSchedule {
  const schedule = new SpareSchedule();
  schedule.active(0);
  return schedule;
}

describe('A spare connection is opened', () => {
  test('at once when a client is active and no connection is idle', () => {
    expect(activeSchedule().openAt(5, null)).toBe(5);
  });

  test('shortly before the last idle connection will be closed', () => {
    expect(activeSchedule().openAt(5, 60_000)).toBe(60_000 - LEAD_MS);
  });

  test('never before the first request, and no more 15 minutes after the latest one', () => {
    expect(new SpareSchedule().openAt(0, null)).toBeNull();
    expect(activeSchedule().openAt(ACTIVE_MS - 1, null)).toBe(ACTIVE_MS - 1);
    expect(activeSchedule().openAt(ACTIVE_MS, null)).toBeNull();
    expect(activeSchedule().openAt(0, ACTIVE_MS + LEAD_MS)).toBeNull();
    expect(activeSchedule().activeUntil).toBe(ACTIVE_MS);
  });

  test('later and later when the service closes it at once, but not after it was used', () => {
    const schedule = activeSchedule();
    schedule.failed(0, 10);
    expect(schedule.openAt(10, null)).toBe(10 + FIRST_DELAY_MS);
    schedule.failed(20, 2_000);
    expect(schedule.openAt(2_000, null)).toBe(2_000 + 2 * FIRST_DELAY_MS);
    schedule.reset();
    expect(schedule.openAt(2_000, null)).toBe(2_000);
  });

  test('soon again after one that the service had kept for a while', () => {
    const schedule = activeSchedule();
    for (let i = 0; i < 5; i += 1) schedule.failed(0, 0);
    schedule.failed(60_000, 60_000);
    expect(schedule.openAt(60_000, null)).toBe(60_000 + FIRST_DELAY_MS);
  });

  test('at most once in the longest delay, however often it fails, and at most 32 times in an hour', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(59_999), { minLength: 20, maxLength: 40 }), (lives) => {
        const schedule = new SpareSchedule();
        let now = 0;
        let opened = 0;
        for (const livedMs of lives) {
          schedule.active(now);
          const at = schedule.openAt(now, null) ?? Number.NaN;
          expect(at - now).toBeLessThanOrEqual(MAX_DELAY_MS);
          now = at + livedMs;
          if (now < 3_600_000) opened += 1;
          schedule.failed(livedMs, now);
        }
        expect(opened).toBeLessThanOrEqual(32);
      }),
    );
  });
});
