import { Tooltip } from '@mantine/core';
import type { UsageDay } from '../../../shared/history/history.ts';
import { formatShortCount } from '../../format/format.ts';
import { formatCount } from '../../../shared/format.ts';
import classes from './month-chart.module.css';
import { ticksUpTo } from './ticks.ts';

/** The number that the bars show. */
export type Measure = 'requests' | 'tokens';

interface MonthChartProps {
  readonly days: readonly UsageDay[];
  readonly measure: Measure;
}

/** The two parts of a bar, the lower first. */
interface Bar {
  readonly day: string;
  readonly label: string;
  readonly parts: readonly [number, number];
}

const LEGEND: Readonly<Record<Measure, readonly [string, string]>> = {
  requests: ['Without errors', 'With errors'],
  tokens: ['Input tokens', 'Output tokens'],
};
const SERIES: Readonly<Record<Measure, readonly [string, string]>> = {
  requests: ['main', 'bad'],
  tokens: ['main', 'second'],
};
/** Number of bars per date label, counted from the last bar. */
const DATE_EVERY = 5;

const dayAndMonth = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });

/** Draws one bar for each day. A chart library for thirty bars would be larger than the rest of the screen. */
export function MonthChart({ days, measure }: MonthChartProps) {
  const bars = days.map((day) => toBar(day, measure));
  const ticks = ticksUpTo(Math.max(...bars.map(({ parts: [lower, upper] }) => lower + upper)));
  const top = ticks.at(-1) ?? 1;
  return (
    <div className={classes['chart']}>
      <Legend measure={measure} />
      <div className={classes['plot']}>
        {ticks.map((tick) => (
          <div key={tick} className={classes['tick']} style={{ bottom: `${(100 * tick) / top}%` }}>
            <span>{formatShortCount(tick)}</span>
          </div>
        ))}
        <div className={classes['bars']}>
          {bars.map((bar, index) => (
            <BarColumn
              key={bar.day}
              bar={bar}
              top={top}
              measure={measure}
              dated={(bars.length - 1 - index) % DATE_EVERY === 0}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

function Legend({ measure }: { readonly measure: Measure }) {
  return (
    <div className={classes['legend']}>
      {LEGEND[measure].map((label, part) => (
        <span key={label} data-series={SERIES[measure][part]}>
          {label}
        </span>
      ))}
    </div>
  );
}

interface BarColumnProps {
  readonly bar: Bar;
  /** The count at the top of the chart. */
  readonly top: number;
  readonly measure: Measure;
  readonly dated: boolean;
}

function BarColumn({ bar: { label, parts }, top, measure, dated }: BarColumnProps) {
  const labels = LEGEND[measure].map((name, part) => `${name}: ${formatCount(parts[part] ?? 0)}`);
  return (
    <Tooltip label={`${label}. ${labels.join(', ')}`} openDelay={0}>
      <div className={classes['column']}>
        {parts.map(
          (count, part) =>
            count > 0 && (
              <div
                key={SERIES[measure][part]}
                data-series={SERIES[measure][part]}
                style={{ height: `${(100 * count) / top}%` }}
              />
            ),
        )}
        {dated && <span className={classes['date']}>{label}</span>}
      </div>
    </Tooltip>
  );
}

function toBar({ day, exchanges, errors, input, output }: UsageDay, measure: Measure): Bar {
  return {
    day,
    // Noon is on the same day even when the clocks change.
    label: dayAndMonth.format(new Date(`${day}T12:00:00`)),
    parts: measure === 'requests' ? [exchanges - errors, errors] : [input ?? 0, output ?? 0],
  };
}
