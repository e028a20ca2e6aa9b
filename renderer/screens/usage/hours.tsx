import { Text } from '@mantine/core';
import type { UsageHour, UsagePeriod } from '../../../shared/history/usage.ts';
import { formatMoney } from '../../../shared/money/format-money.ts';
import { pluralize } from '../../../shared/format.ts';
import { Panel } from '../../components/panel.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import { findHour, toHourFilter } from './history-filter.ts';
import classes from './usage.module.css';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const HOURS = 24;
/** Shades of the heat map, without the one of nothing. */
const SHADES = 5;

interface HoursProps {
  /** The 168 hours of a week from Monday 0:00. */
  readonly hours: readonly UsageHour[];
  readonly period: UsagePeriod;
  readonly currency: string;
  /** The term of a filter for the exchanges which the totals cover. */
  readonly term: string;
}

/**
 * A heat map of the hours of the week: by money, or by requests where nothing has a cost. Each leads into the history when the period has
 * it only once.
 */
export function Hours({ hours, period, currency, term }: HoursProps) {
  const hasCost = hours.some(({ cost }) => (cost ?? 0) > 0);
  const sizeOf = ({ cost, exchanges }: UsageHour) => (hasCost ? (cost ?? 0) : exchanges);
  const most = Math.max(1, ...hours.map(sizeOf));
  return (
    <Panel title="Hours of the week">
      <Text size="xs" c="dimmed" mb="xs">
        {hasCost ? 'Money' : 'Requests'} in local time; a stronger colour is more.
      </Text>
      <div className={classes['heat']} tabIndex={0} role="region" aria-label="Heat map">
        <table>
          <thead>
            <tr>
              <td />
              {Array.from({ length: HOURS }, (_, hour) => (
                <th key={hour} scope="col" data-shown={hour % 6 === 0 || undefined}>
                  <span>{hour}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {DAYS.map((day, place) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                {hours.slice(place * HOURS, (place + 1) * HOURS).map((hour, at) => (
                  <td
                    key={at}
                    title={`${day} ${String(at).padStart(2, '0')}:00: ${describeHour(hour, currency)}`}
                    data-shade={Math.ceil((sizeOf(hour) / most) * SHADES)}
                  >
                    <HourOfWeek
                      text={describeHour(hour, currency)}
                      at={hour.exchanges === 0 ? null : findHour(period, place, at)}
                      term={term}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

interface HourOfWeekProps {
  readonly text: string;
  /** When it begins, in Unix milliseconds; `null` when the period has it more than once, or nothing happened. */
  readonly at: number | null;
  readonly term: string;
}

function HourOfWeek({ text, at, term }: HourOfWeekProps) {
  if (at === null) return <span>{text}</span>;
  return (
    <ScreenLink
      to="/history"
      search={{ filter: toHourFilter(at, term) }}
      className={classes['hour'] ?? ''}
    >
      <span>{text}</span>
    </ScreenLink>
  );
}

function describeHour({ exchanges, cost }: UsageHour, currency: string): string {
  const requests = pluralize(exchanges, 'request');
  return cost === null ? requests : `${requests}, ${formatMoney(cost, currency)}`;
}
