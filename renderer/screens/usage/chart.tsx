import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import classes from './usage.module.css';

/** A series: its name, its values, and the CSS variable of its colour. */
export interface ChartSeries {
  readonly label: string;
  readonly values: readonly (number | null)[];
  readonly color: string;
}

interface ChartProps {
  /** Names of the steps. */
  readonly steps: readonly string[];
  readonly series: readonly ChartSeries[];
  /** Bars stand on the axis; lines join the values that are known. */
  readonly kind: 'bars' | 'lines';
  readonly format: (value: number) => string;
  /** Called with the place of a step that was clicked. Must be stable. */
  readonly onOpen: (place: number) => void;
}

const HEIGHT = 220;
/** Least width of the vertical axis, and the space beside its labels. */
const AXIS_WIDTH = 64;
const AXIS_GAP = 16;
/** Least width of a label of the horizontal axis with its space. */
const LABEL_WIDTH = 90;

/** Draws series over the steps of a period. Screen readers and the keyboard get the table beside it. */
export function Chart({ steps, series, kind, format, onOpen }: ChartProps) {
  const { ref: box, width } = useElementSize();
  const place = useRef<HTMLDivElement>(null);
  const colorScheme = useComputedColorScheme();
  useEffect(() => {
    const target = place.current;
    if (target === null || width === 0) return;
    let chart: UPlot | null = null;
    // The colours of another scheme are there in the next frame.
    const frame = requestAnimationFrame(() => {
      chart = draw(target, { steps, series, kind, format, onOpen, width });
    });
    return () => {
      cancelAnimationFrame(frame);
      chart?.destroy();
    };
  }, [steps, series, kind, format, onOpen, width, colorScheme]);
  return (
    <div ref={box} aria-hidden className={classes['chart'] ?? ''}>
      <div ref={place} />
    </div>
  );
}

/** Draws a chart into an element, with the colours that it has now. */
function draw(
  target: HTMLElement,
  { steps, series, kind, format, onOpen, width }: ChartProps & { readonly width: number },
): UPlot {
  const style = getComputedStyle(target);
  const font = fontOf(style);
  const colorOf = (name: string) => style.getPropertyValue(name).trim();
  const chart = new UPlot(
    {
      width,
      height: HEIGHT,
      cursor: { drag: { x: false, y: false } },
      // Without a pointer the legend shows the latest step with use.
      hooks: { setLegend: [(self) => self.legend.idx ?? showLatest(self)] },
      scales: {
        x: { time: false, range: [-0.5, steps.length - 0.5] },
        y: { range: (_, __, max) => [0, max > 0 ? max * 1.05 : 1] },
      },
      axes: [
        axis(style, {
          size: 30,
          space: findWidth(steps, font, LABEL_WIDTH),
          values: (_, splits) => splits.map((split) => steps[split] ?? ''),
        }),
        axis(style, {
          size: (_, labels: string[] | null) => findWidth(labels ?? [], font, AXIS_WIDTH),
          values: (_, splits) => splits.map(format),
        }),
      ],
      series: [
        { label: 'Time', value: (_, step) => steps[step] ?? '' },
        ...series.map(({ label, color }) => ({
          label,
          stroke: colorOf(color),
          value: (_: UPlot, value: number | null) => (value === null ? '–' : format(value)),
          ...(kind === 'bars' ? bars(colorOf(color)) : { width: 2, spanGaps: true }),
        })),
      ],
    },
    [steps.map((_, step) => step), ...series.map(({ values }) => [...values])],
    target,
  );
  showLatest(chart);
  chart.over.addEventListener('click', () => {
    const { idx } = chart.cursor;
    if (idx != null) onOpen(idx);
  });
  return chart;
}

/** Returns the width that shows the whole of each label with its space, and not less than `least`. */
function findWidth(labels: readonly string[], font: string, least: number): number {
  const pen = document.createElement('canvas').getContext('2d');
  if (pen === null) return least;
  pen.font = font;
  const widths = labels.map((label) => pen.measureText(label).width);
  return Math.max(least, Math.ceil(Math.max(0, ...widths)) + AXIS_GAP);
}

function fontOf({ fontFamily }: CSSStyleDeclaration): string {
  return `12px ${fontFamily}`;
}

function showLatest(chart: UPlot): void {
  const [steps, ...series] = chart.data;
  // Those of today that have not come yet, and those without use, say nothing.
  const latest = steps.findLastIndex((_, place) => series.some((values) => values[place]));
  chart.setLegend({ idx: latest === -1 ? steps.length - 1 : latest }, false);
}

function bars(color: string): Partial<UPlot.Series> {
  const paths = UPlot.paths.bars?.({ size: [0.7, 48], radius: 0.1 });
  return {
    width: 0,
    fill: color,
    points: { show: false },
    ...(paths === undefined ? {} : { paths }),
  };
}

function axis(style: CSSStyleDeclaration, more: Partial<UPlot.Axis>): UPlot.Axis {
  const line = style.getPropertyValue('--gate-line').trim();
  return {
    stroke: style.getPropertyValue('--mantine-color-dimmed').trim(),
    font: fontOf(style),
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
    incrs: [1, 2, 3, 4, 5, 6, 7, 10, 14, 20, 30, 50, ...LARGE_STEPS],
    space: 36,
    ...more,
  };
}

/** Distances of the lines of amounts. */
const LARGE_STEPS = Array.from({ length: 14 }, (_, power) =>
  [1, 2, 5].map((digit) => digit * 10 ** (power + 2)),
).flat();
