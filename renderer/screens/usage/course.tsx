import { SegmentedControl, Text, VisuallyHidden } from '@mantine/core';
import { useMemo } from 'react';
import type { UsageOverview, UsageStep } from '../../../shared/history/usage.ts';
import { formatMoney } from '../../../shared/money/format-money.ts';
import { formatCount, formatDuration } from '../../../shared/format.ts';
import { Panel } from '../../components/panel.tsx';
import { formatShortCount } from '../../format/format.ts';
import { Chart, type ChartSeries } from './chart.tsx';
import { formatCost, labelStep } from './describe-usage.ts';
import type { Measure } from './search.ts';

const LABELS: readonly { readonly value: Measure; readonly label: string }[] = [
  { value: 'money', label: 'Money' },
  { value: 'tokens', label: 'Tokens' },
  { value: 'requests', label: 'Requests' },
  { value: 'speed', label: 'Speed' },
];

interface CourseProps {
  readonly overview: UsageOverview;
  readonly measure: Measure;
  readonly currency: string;
  readonly onChange: (measure: Measure) => void;
}

/** The course of one measure over the steps of a period, as a chart and as a table for screen readers. */
export function Course({ overview, measure, currency, onChange }: CourseProps) {
  const { steps, bucket, totals } = overview;
  const labels = useMemo(() => steps.map((step) => labelStep(step, bucket)), [steps, bucket]);
  const series = useMemo(() => listSeries(steps, measure), [steps, measure]);
  const format = useMemo(() => createFormat(measure, currency), [measure, currency]);
  const isUnpriced = measure === 'money' && totals.cost === null;
  return (
    <Panel
      title={`By ${bucket}`}
      aside={
        <SegmentedControl
          size="xs"
          data={[...LABELS]}
          value={measure}
          onChange={onChange}
          aria-label="Shown in the chart"
        />
      }
    >
      {isUnpriced ? (
        <Text size="sm" c="dimmed" py="xl" ta="center">
          No request of this period has a known cost.
        </Text>
      ) : (
        <Chart
          steps={labels}
          series={series}
          kind={measure === 'speed' ? 'lines' : 'bars'}
          format={format}
        />
      )}
      <VisuallyHidden>
        <StepTable labels={labels} steps={steps} currency={currency} />
      </VisuallyHidden>
    </Panel>
  );
}

/** The upper of two bars in one place is drawn first, as high as both. */
function listSeries(steps: readonly UsageStep[], measure: Measure): readonly ChartSeries[] {
  const values = (valueOf: (step: UsageStep) => number | null) => steps.map(valueOf);
  const main = '--mantine-color-gate-5';
  switch (measure) {
    case 'money':
      return [{ label: 'Money', values: values(({ cost }) => cost), color: main }];
    case 'tokens':
      return [
        {
          label: 'Input and output',
          values: values(({ input, output }) => (input ?? 0) + (output ?? 0)),
          color: '--mantine-color-teal-7',
        },
        { label: 'Input', values: values(({ input }) => input), color: main },
      ];
    case 'requests':
      return [
        { label: 'Requests', values: values(({ exchanges }) => exchanges), color: main },
        { label: 'With errors', values: values(({ errors }) => errors), color: '--gate-bad' },
      ];
    case 'speed':
      return [
        {
          label: 'Time to first byte, median',
          values: values(({ firstByte }) => firstByte?.median ?? null),
          color: main,
        },
        {
          label: '95th percentile',
          values: values(({ firstByte }) => firstByte?.p95 ?? null),
          color: '--gate-warn',
        },
      ];
  }
}

function createFormat(measure: Measure, currency: string): (value: number) => string {
  if (measure === 'money') return (value) => formatMoney(value, currency);
  return measure === 'speed' ? formatDuration : formatShortCount;
}

interface StepTableProps {
  readonly labels: readonly string[];
  readonly steps: readonly UsageStep[];
  readonly currency: string;
}

function StepTable({ labels, steps, currency }: StepTableProps) {
  return (
    <table>
      <caption>Usage over time</caption>
      <thead>
        <tr>
          {[
            'Time',
            'Money',
            'Requests',
            'Errors',
            'Input tokens',
            'Output tokens',
            'First byte',
          ].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {steps.map((step, place) => (
          <tr key={`${step.since} ${step.hour}`}>
            <th scope="row">{labels[place]}</th>
            <td>{formatCost(step, currency)}</td>
            <td>{formatCount(step.exchanges)}</td>
            <td>{formatCount(step.errors)}</td>
            <td>{formatCount(step.input)}</td>
            <td>{formatCount(step.output)}</td>
            <td>{formatDuration(step.firstByte?.median ?? null)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
