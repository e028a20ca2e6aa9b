import { expect, test } from 'vitest';
import { findRemainingExpiry, findExpiry, lastDayOf, startOfNextDay } from './expiry.ts';

const NOW = new Date(2026, 10, 24, 12).getTime();

test('a choice in days counts from now, and never is none', () => {
  expect(findExpiry('never', NOW)).toBeNull();
  expect(findExpiry('7', NOW)).toBe(NOW + 7 * 86_400_000);
});

test('a key with a date works through that day', () => {
  const at = startOfNextDay('2026-12-31', NOW);
  expect(at).toBe(new Date(2027, 0, 1).getTime());
  expect(new Date(lastDayOf(at ?? 0)).getDate()).toBe(31);
  expect(startOfNextDay('2026-11-24', NOW)).toBe(new Date(2026, 10, 25).getTime());
});

test.each(['', '2026-11-23', '24.11.2026', 'tomorrow', '2026-1-1'])('%j is no last day', (text) => {
  expect(startOfNextDay(text, NOW)).toBeNull();
});

test.each([
  [{ expired: false, expiresAt: null }, null],
  [{ expired: false, expiresAt: 2_000 }, 2_000],
  [{ expired: false, expiresAt: 1_000 }, null],
  // The clock was ahead when the key was found expired.
  [{ expired: true, expiresAt: 2_000 }, null],
] as const)('a form for %j begins with %s', (client, expiresAt) => {
  expect(findRemainingExpiry(client, 1_000)).toBe(expiresAt);
});
