import { SegmentedControl, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import type { UsageDay } from '../../../shared/history/history.ts';
import { pluralize, formatCount } from '../../../shared/format.ts';
import { Panel } from '../../components/panel.tsx';
import { useScopeNote } from '../../components/scope-note.tsx';
import { type Measure, MonthChart } from './month-chart.tsx';
import classes from './month.module.css';
import { describeSources, sumDays } from './describe-sums.ts';
import { useDays } from './use-days.ts';

const MEASURES: readonly { readonly value: Measure; readonly label: string }[] = [
  { value: 'requests', label: 'Requests' },
  { value: 'tokens', label: 'Tokens' },
];

/** Shows the last 30 days as bars, and as a table for screen readers. */
export function Month() {
  const { data, isError } = useDays();
  const [measure, setMeasure] = useState<Measure>('requests');
  // The panel of today shows the error and a button to try again.
  if (data === undefined && isError) return null;
  return (
    <Panel
      title="Last 30 days"
      aside={
        <SegmentedControl
          size="xs"
          data={[...MEASURES]}
          value={measure}
          onChange={setMeasure}
          aria-label="Shown in the chart"
        />
      }
    >
      {data === undefined ? <Skeleton h={200} /> : <Bars days={data} measure={measure} />}
    </Panel>
  );
}

interface BarsProps {
  readonly days: readonly UsageDay[];
  readonly measure: Measure;
}

function Bars({ days, measure }: BarsProps) {
  const sums = sumDays(days);
  const note = useScopeNote();
  if (sums.exchanges === 0) {
    return (
      <Text size="sm" c="dimmed" className={classes['none'] ?? ''}>
        No requests in the last 30 days. Each day with requests gets a bar here.
      </Text>
    );
  }
  return (
    <Stack gap="xs">
      <div aria-hidden className={classes['chart']}>
        <MonthChart days={days} measure={measure} />
      </div>
      <Text size="xs" c="dimmed">
        {pluralize(sums.exchanges, 'request')}, {formatCount(sums.errors)} with errors
        {sums.refused > 0 && ` (${formatCount(sums.refused)} refused by limits)`};{' '}
        {formatTokens(sums.input)} input and {formatTokens(sums.output)} output tokens (
        {describeSources(sums)}).{note !== null && ` ${note}.`}
      </Text>
      <VisuallyHidden>
        <DayTable days={days} />
      </VisuallyHidden>
    </Stack>
  );
}

function DayTable({ days }: { readonly days: readonly UsageDay[] }) {
  return (
    <table>
      <caption>Requests, errors and tokens of each day</caption>
      <thead>
        <tr>
          <th scope="col">Day</th>
          <th scope="col">Requests</th>
          <th scope="col">Errors</th>
          <th scope="col">Input tokens</th>
          <th scope="col">Output tokens</th>
        </tr>
      </thead>
      <tbody>
        {days.map((day) => (
          <tr key={day.day}>
            <th scope="row">{day.day}</th>
            <td>{formatCount(day.exchanges)}</td>
            <td>{formatCount(day.errors)}</td>
            <td>{formatTokens(day.input)}</td>
            <td>{formatTokens(day.output)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function formatTokens(count: number | null): string {
  return count === null ? 'unknown' : formatCount(count);
}
