import { formatCount, pluralize } from '../../../shared/format.ts';

/** Counting more takes too long. */
export const MAX_COUNTED = 100_000;

/** Formats a count that ended at one more than {@link MAX_COUNTED}. */
export function formatMatchCount(count: number): string {
  if (count > MAX_COUNTED) return `more than ${formatCount(MAX_COUNTED)} requests`;
  return pluralize(count, 'request');
}
