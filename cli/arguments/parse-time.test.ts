import { expect, test } from 'vitest';
import { UsageError } from '../errors.ts';
import { parseExpiryTime, parseSince } from './parse-time.ts';

const NOW = new Date(2026, 10, 21, 9, 30).getTime();

test.each([
  ['30m', NOW - 30 * 60_000],
  ['2h', NOW - 2 * 3_600_000],
  ['2D', NOW - 2 * 86_400_000],
  ['1w', NOW - 7 * 86_400_000],
  ['today', new Date(2026, 10, 21).getTime()],
  ['2026-11-20', new Date(2026, 10, 20).getTime()],
  ['2026-11-20T08:15', new Date(2026, 10, 20, 8, 15).getTime()],
  ['2026-11-20 08:15:30', new Date(2026, 10, 20, 8, 15, 30).getTime()],
  ['2026-11-20T08:15:00Z', Date.UTC(2026, 10, 20, 8, 15)],
  ['2026-11-20T08:15:00+02:00', Date.UTC(2026, 10, 20, 6, 15)],
])('%s is a time', (text, at) => {
  expect(parseSince(text, NOW)).toBe(at);
});

test.each(['', '2', 'h', '2y', '-2h', '2026-02-30', '2026-13-01', '20.11.2026', 'yesterday'])(
  '%j is none',
  (text) => {
    expect(() => parseSince(text, NOW)).toThrow(UsageError);
  },
);

test.each([
  ['12h', NOW + 12 * 3_600_000],
  ['7D', NOW + 7 * 86_400_000],
  ['2026-12-01', new Date(2026, 11, 2).getTime()],
  ['2026-12-01T09:30', new Date(2026, 11, 1, 9, 30).getTime()],
  ['never', null],
  [' None ', null],
])('%s is when a key expires', (text, at) => {
  expect(parseExpiryTime(text, NOW)).toBe(at);
});

test.each(['', '7', 'd', '-7d', '7y', '2026-02-30', 'tomorrow'])('%j is no expiry', (text) => {
  expect(() => parseExpiryTime(text, NOW)).toThrow(UsageError);
});
