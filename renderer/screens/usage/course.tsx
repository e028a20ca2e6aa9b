import { SegmentedControl, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { Speed, UsageOverview, UsageStep } from '../../../shared/history/usage.ts';
import { formatMoney } from '../../../shared/money/format-money.ts';
import { formatCount, formatDuration } from '../../../shared/format.ts';
import { Panel } from '../../components/panel.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import { formatShortCount } from '../../format/format.ts';
import { Chart, type ChartSeries } from './chart.tsx';
import { formatCostSums } from '../../../shared/money/describe-cost.ts';
import { formatRate, hasTail, labelStep } from './describe-usage.ts';
import { toStepFilter } from './history-filter.ts';
import type { Measure } from './search.ts';
import classes from './usage.module.css';

const LABELS: readonly { readonly value: Measure; readonly label: string }[] = [
  { value: 'money', label: 'Money' },
  { value: 'tokens', label: 'Tokens' },
  { value: 'requests', label: 'Requests' },
  { value: 'first-byte', label: 'First byte' },
  { value: 'rate', label: 'Tokens/s' },
];

interface CourseProps {
  readonly overview: UsageOverview;
  readonly measure: Measure;
  readonly currency: string;
  /** The term of a filter for the exchanges which the totals cover. */
  readonly term: string;
  readonly onChange: (measure: Measure) => void;
}

const LINES: ReadonlySet<Measure> = new Set(['first-byte', 'rate']);

/** The course of one measure over the steps of a period: as a chart, and as a table for screen readers and the keyboard. */
export function Course({ overview, measure, currency, term, onChange }: CourseProps) {
  const navigate = useNavigate();
  const { steps, bucket, totals } = overview;
  const labels = useMemo(() => steps.map((step) => labelStep(step, bucket)), [steps, bucket]);
  const series = useMemo(() => listSeries(steps, measure), [steps, measure]);
  const format = useMemo(() => createFormat(measure, currency), [measure, currency]);
  const open = useCallback(
    (place: number) => {
      const step = steps[place];
      if (step !== undefined && step.exchanges > 0)
        void navigate({ to: '/history', search: { filter: toStepFilter(step, term) } });
    },
    [navigate, steps, term],
  );
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
          kind={LINES.has(measure) ? 'lines' : 'bars'}
          format={format}
          onOpen={open}
        />
      )}
      <div className={classes['steps']}>
        <StepTable labels={labels} steps={steps} currency={currency} term={term} />
      </div>
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
    case 'first-byte':
      return listSpeeds('Time to first byte, median', values, ({ firstByte }) => firstByte);
    case 'rate':
      return listSpeeds('Tokens per second, median', values, ({ rate }) => rate);
  }
}

function listSpeeds(
  label: string,
  values: (valueOf: (step: UsageStep) => number | null) => readonly (number | null)[],
  speedOf: (step: UsageStep) => Speed | null,
): readonly ChartSeries[] {
  return [
    {
      label,
      values: values((step) => speedOf(step)?.median ?? null),
      color: '--mantine-color-gate-5',
    },
    {
      label: '95th percentile',
      values: values((step) => {
        const speed = speedOf(step);
        return speed !== null && hasTail(speed) ? speed.p95 : null;
      }),
      color: '--gate-warn',
    },
  ];
}

function createFormat(measure: Measure, currency: string): (value: number) => string {
  if (measure === 'money') return (value) => formatMoney(value, currency);
  if (measure === 'rate') return formatRate;
  return measure === 'first-byte' ? formatDuration : formatShortCount;
}

interface StepTableProps {
  readonly labels: readonly string[];
  readonly steps: readonly UsageStep[];
  readonly currency: string;
  readonly term: string;
}

function StepTable({ labels, steps, currency, term }: StepTableProps) {
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
            'Tokens per second',
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
            <th scope="row">
              {step.exchanges === 0 ? (
                labels[place]
              ) : (
                <ScreenLink to="/history" search={{ filter: toStepFilter(step, term) }} size="xs">
                  {labels[place]}
                </ScreenLink>
              )}
            </th>
            <td>{formatCostSums(step, currency)}</td>
            <td>{formatCount(step.exchanges)}</td>
            <td>{formatCount(step.errors)}</td>
            <td>{formatCount(step.input)}</td>
            <td>{formatCount(step.output)}</td>
            <td>{formatDuration(step.firstByte?.median ?? null)}</td>
            <td>{formatRate(step.rate?.median ?? null)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
