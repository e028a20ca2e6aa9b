import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AttemptOutcome, retryDelayMs, parseRetryAfter } from './retry.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const FIRST = { attempts: 1, elapsedMs: 0, now: NOW, jitter: 0.5 };
const NOTHING: AttemptOutcome = { kind: 'nothing-sent' };
const throttled = (retryAfter: string | null): AttemptOutcome => ({
  kind: 'throttled',
  retryAfter,
});

const outcomes = fc.oneof(
  fc.constant(NOTHING),
  fc.option(fc.oneof(fc.nat(60).map(String), fc.string()), { nil: null }).map(throttled),
);
const jitters = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('The delay before a retry', () => {
  test('follows the service, in seconds or as a date', () => {
    expect(retryDelayMs(throttled('3'), FIRST)).toBe(3000);
    const date = new Date(NOW + 5000).toUTCString();
    expect(retryDelayMs(throttled(date), FIRST)).toBe(5000);
  });

  test('is never shorter than our own delay', () => {
    for (const after of ['0', null, 'soon', '-1', new Date(NOW - 9000).toUTCString()]) {
      expect(retryDelayMs(throttled(after), FIRST)).toBe(500);
    }
    expect(retryDelayMs(NOTHING, { ...FIRST, attempts: 2 })).toBe(1000);
  });

  test('is not started beyond the budget', () => {
    expect(retryDelayMs(throttled('20'), FIRST)).toBe(20_000);
    expect(retryDelayMs(throttled('21'), FIRST)).toBeNull();
    expect(retryDelayMs(throttled('2'), { ...FIRST, elapsedMs: 18_500 })).toBeNull();
    expect(retryDelayMs(throttled('999999999999'), FIRST)).toBe(500);
  });

  test('occurs at most twice, within 20 seconds, whatever the service sends', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(outcomes, jitters, fc.nat(8000)), { minLength: 5, maxLength: 5 }),
        (attempts) => {
          let elapsedMs = 0;
          let pauses = 0;
          for (const [index, [outcome, jitter, took]] of attempts.entries()) {
            elapsedMs += took;
            const situation = { attempts: index + 1, elapsedMs, now: NOW + elapsedMs, jitter };
            const pause = retryDelayMs(outcome, situation);
            if (pause === null) break;
            expect(pause).toBeGreaterThanOrEqual(375);
            const asked =
              outcome.kind === 'throttled' ? parseRetryAfter(outcome.retryAfter, situation.now) : 0;
            expect(pause).toBeGreaterThanOrEqual(asked ?? 0);
            pauses += 1;
            elapsedMs += pause;
            expect(elapsedMs).toBeLessThanOrEqual(20_000);
          }
          expect(pauses).toBeLessThanOrEqual(2);
        },
      ),
    );
  });
});

describe('Retry-After', () => {
  test.each([
    ['120', 120_000],
    [' 1 ', 1000],
    ['1.5', 1500],
    ['0', 0],
    [new Date(NOW + 60_000).toUTCString(), 60_000],
    [new Date(NOW - 60_000).toUTCString(), 0],
    ['', null],
    ['soon', null],
    ['1e9', null],
    ['0x10', null],
  ])('of "%s" means %s ms', (value, expected) => {
    expect(parseRetryAfter(value, NOW)).toBe(expected);
  });

  test('results in a valid number or none, for any text', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const ms = parseRetryAfter(value, NOW);
        expect(ms === null || (Number.isFinite(ms) && ms >= 0)).toBe(true);
      }),
    );
  });
});
