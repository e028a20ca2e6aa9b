import { quote } from '../../../../shared/filter-language/print.ts';
import { formatDay, formatTimeOfDay } from '../../../../shared/format.ts';
import type {
  UsageDifference,
  UsageReconciliation,
} from '../../../../shared/reconcile/reconcile-contract.ts';
import type { UsageColumns } from '../../../../shared/reconcile/usage-columns.ts';
import { formatCalendarDay } from '../../../format/format.ts';

type Zone = Pick<UsageColumns, 'rows' | 'timeZone'>;

/**
 * Formats a time in the time zone of an export, as far as its rows are precise: `Nov 21, 09:30:05`, `Nov 21`; with the year when it
 * is not that of `now`.
 */
export function formatTime(at: number, { rows, timeZone }: Zone, now = Date.now()): string {
  const [day = '', time = ''] =
    timeZone === 'utc'
      ? new Date(at).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length).split('T')
      : [formatDay(at), formatTimeOfDay(at)];
  const date = formatCalendarDay(day, now);
  if (rows === 'day') return date;
  return `${date}, ${rows === 'hour' ? time.slice(0, 'hh:mm'.length) : time}`;
}

/** Formats the period of a comparison with its time zone. */
export function formatPeriod(
  { since, until }: Pick<UsageReconciliation, 'since' | 'until'>,
  { timeZone }: Zone,
  now = Date.now(),
): string {
  const of = { rows: 'hour', timeZone } as const;
  const zone = timeZone === 'utc' ? 'UTC' : 'local time';
  return `${formatTime(since, of, now)} – ${formatTime(until, of, now)} ${zone}`;
}

/** Returns the filter of the history for the requests of a sum. The name may be that of the model that answered. */
export function toSumFilter(
  { at, until, model }: Pick<UsageDifference, 'at' | 'until' | 'model'>,
  service: string,
): string {
  const end = until === null ? [] : [`until:${new Date(until - 1).toISOString()}`];
  const words = model === '' ? [] : [quote(model)];
  return [
    `service:${quote(service)}`,
    `since:${new Date(at).toISOString()}`,
    ...end,
    ...words,
  ].join(' ');
}
