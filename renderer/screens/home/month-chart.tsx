import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import type { UsageDay } from '../../../shared/history.ts';
import { countText, shortCount } from '../../parts/figures.ts';

/** What the bars count. */
export type Measure = 'requests' | 'tokens';

interface MonthChartProps {
  readonly days: readonly UsageDay[];
  readonly measure: Measure;
}

const SERIES = {
  requests: [
    { name: 'done', label: 'Without errors', color: 'gate.5' },
    { name: 'errors', label: 'With errors', color: 'red.6' },
  ],
  tokens: [
    { name: 'input', label: 'Input tokens', color: 'gate.5' },
    { name: 'output', label: 'Output tokens', color: 'teal.6' },
  ],
};

const dayAndMonth = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });

/** One bar for each day. */
export function MonthChart({ days, measure }: MonthChartProps) {
  return (
    <BarChart
      h="100%"
      data={days.map(barOf)}
      dataKey="day"
      type="stacked"
      series={SERIES[measure]}
      valueFormatter={countText}
      accessibilityLayer={false}
      tickLine="none"
      gridAxis="x"
      withLegend
      legendProps={{ verticalAlign: 'top', height: 34 }}
      maxBarWidth={22}
      barProps={{ isAnimationActive: false }}
      tooltipProps={{ isAnimationActive: false }}
      xAxisProps={{ interval: 'preserveStartEnd', minTickGap: 24 }}
      yAxisProps={{ width: 44, tickFormatter: shortCount, allowDecimals: false }}
    />
  );
}

function barOf({ day, exchanges, errors, input, output }: UsageDay) {
  return {
    // Noon is on the same day wherever the clocks are changed.
    day: dayAndMonth.format(new Date(`${day}T12:00:00`)),
    done: exchanges - errors,
    errors,
    input: input ?? 0,
    output: output ?? 0,
  };
}
