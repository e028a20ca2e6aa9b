import { SegmentedControl, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import type { UsageDay } from '../../../shared/history.ts';
import { counted, countText } from '../../parts/figures.ts';
import { Panel } from '../../parts/panel.tsx';
import { type Measure, MonthChart } from './month-chart.tsx';
import classes from './month.module.css';
import { sourcesWords, sumDays } from './sums-words.ts';
import { useDays } from './use-days.ts';

const MEASURES: readonly { readonly value: Measure; readonly label: string }[] = [
  { value: 'requests', label: 'Requests' },
  { value: 'tokens', label: 'Tokens' },
];

/** The last 30 days as bars, and as a table for whoever cannot see them. */
export function Month() {
  const { data, isError } = useDays();
  const [measure, setMeasure] = useState<Measure>('requests');
  // The panel of today tells of it, and how to try again.
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
  if (sums.exchanges === 0) {
    return (
      <Text size="sm" c="dimmed" className={classes['none'] ?? ''}>
        No requests in the last 30 days. From the first one on, each day gets a bar here.
      </Text>
    );
  }
  return (
    <Stack gap="xs">
      <div aria-hidden className={classes['chart']}>
        <MonthChart days={days} measure={measure} />
      </div>
      <Text size="xs" c="dimmed">
        {counted(sums.exchanges, 'request')}, {countText(sums.errors)} with errors;{' '}
        {tokenText(sums.input)} input and {tokenText(sums.output)} output tokens (
        {sourcesWords(sums)}).
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
            <td>{countText(day.exchanges)}</td>
            <td>{countText(day.errors)}</td>
            <td>{tokenText(day.input)}</td>
            <td>{tokenText(day.output)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function tokenText(count: number | null): string {
  return count === null ? 'unknown' : countText(count);
}
