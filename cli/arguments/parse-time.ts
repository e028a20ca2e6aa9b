import { parseSpan, parseTime, startOfDay } from '../../shared/parse-time.ts';
import { UsageError } from '../errors.ts';

/**
 * Parses the beginning of a time span: `today`, an age such as `30m`, `2h`, `3d` or `1w`, or a local date or time such as `2026-11-21` or
 * `2026-11-21T09:30`. Returns Unix time in milliseconds. @throws UsageError
 */
export function parseSince(text: string, now: number, flag = '--since'): number {
  if (text.toLowerCase() === 'today') return startOfDay(now, 0);
  const age = parseSpan(text);
  if (age !== null) return now - age;
  const time = parseTime(text);
  if (time === null) {
    throw new UsageError(
      `${flag} takes today, an age such as 30m, 2h, 3d or 1w, or a date such as 2026-11-21 or 2026-11-21T09:30.`,
    );
  }
  return time.at;
}

/**
 * Parses when a local key expires: a time from now such as `12h` or `7d`, a local date, whose whole day counts, or a time such as
 * `2026-12-01T09:30`; `never` is `null`. Returns Unix time in milliseconds. @throws UsageError
 */
export function parseExpiryTime(text: string, now: number): number | null {
  const lower = text.trim().toLowerCase();
  if (lower === 'never' || lower === 'none') return null;
  const delay = parseSpan(lower);
  if (delay !== null) return now + delay;
  const time = parseTime(text.trim());
  if (time === null) {
    throw new UsageError(
      'An expiry is a time from now such as 12h, 7d or 4w, a date such as 2026-12-01 or 2026-12-01T09:30, or never.',
    );
  }
  return time.day ? startOfDay(time.at, 1) : time.at;
}
