import type { ClientSummary, Expiry } from '../../shared/client.ts';

/** The offered expiries; `date` needs a day. */
export const EXPIRY_CHOICES = [
  { value: 'never', label: 'Never' },
  { value: '1', label: 'In 1 day' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: 'date', label: 'On a date' },
] as const;

export type ExpiryChoice = (typeof EXPIRY_CHOICES)[number]['value'];

const DAY_MS = 86_400_000;
const ISO_DAY = /^(\d{4})-(\d{2})-(\d{2})$/u;

/** Returns the expiry of a choice without a date at `now`. Both in Unix milliseconds. */
export function findExpiry(choice: Exclude<ExpiryChoice, 'date'>, now: number): Expiry {
  return choice === 'never' ? null : now + Number(choice) * DAY_MS;
}

/** Returns the local midnight after a day such as `2026-12-01`; `null` when that is no day, or past at `now`. */
export function startOfNextDay(text: string, now: number): number | null {
  const [, year, month, day] = ISO_DAY.exec(text) ?? [];
  if (day === undefined) return null;
  const at = new Date(Number(year), Number(month) - 1, Number(day) + 1).getTime();
  return at > now ? at : null;
}

/** Returns a time in the last day on which a key works. */
export function lastDayOf(expiresAt: number): number {
  return expiresAt - 1;
}

/** Returns the expiry that a form begins with: none for a key that has expired, also when its time lies ahead of a clock that was set back. */
export function findRemainingExpiry(
  { expired, expiresAt }: Pick<ClientSummary, 'expired' | 'expiresAt'>,
  now: number,
): Expiry {
  return expired || (expiresAt !== null && expiresAt <= now) ? null : expiresAt;
}
