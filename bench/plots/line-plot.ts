import { type Axis, type Range, roundTicks, toShare } from './axis.ts';

/** A point of a line, in the units of the axes. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Line {
  readonly label: string;
  readonly points: readonly Point[];
}

export interface LinePlot {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly lines: readonly Line[];
}

const SIZE = { width: 640, height: 360 } as const;
/** The area of the lines, in pixels. */
const AREA = { left: 64, right: 600, top: 84, bottom: 304 } as const;
/** Medium tones, which are readable on white and on black. */
const TEXT = '#768390';
const LINE_STYLES = [
  { color: '#3d7eff', dash: '' },
  { color: '#d0632f', dash: '6 3' },
  { color: '#2f9e5b', dash: '2 3' },
  { color: '#a866d6', dash: '8 3 2 3' },
] as const;

/** Formats a plot as SVG, with a transparent background. */
export function formatLinePlot(plot: LinePlot): string {
  const points = plot.lines.flatMap((line) => line.points);
  const xs = [...new Set(points.map(({ x }) => x))].toSorted((a, b) => a - b);
  const ys = roundTicks(
    points.map(({ y }) => y),
    plot.y.scale,
  );
  const place = createPlacing(plot, { x: toRange(xs), y: toRange(ys) });
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.width} ${SIZE.height}" width="${SIZE.width}" height="${SIZE.height}" role="img" font-family="system-ui, sans-serif" font-size="12" fill="${TEXT}">`,
    `<title>${escape(plot.title)}</title>`,
    text(plot.title, { x: AREA.left, y: 22, more: 'font-size="15" font-weight="600"' }),
    ...plot.lines.map((line, index) => formatLegend(line.label, index, plot.lines.length)),
    text(plot.y.title, { x: AREA.left, y: AREA.top - 12 }),
    ...ys.map((y) => formatYTick(place.y(y), formatValue(plot.y, y))),
    ...xs.map((x) => formatXTick(place.x(x), formatValue(plot.x, x))),
    text(plot.x.title, {
      x: (AREA.left + AREA.right) / 2,
      y: SIZE.height - 14,
      more: 'text-anchor="middle"',
    }),
    ...plot.lines.map((line, index) => formatLine(line, index, place)),
    '</svg>',
  ].join('\n')}\n`;
}

interface Placing {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
}

function createPlacing(plot: LinePlot, ranges: { readonly x: Range; readonly y: Range }): Placing {
  const { left, right, top, bottom } = AREA;
  return {
    x: (value) => left + (right - left) * toShare(value, ranges.x, plot.x.scale),
    y: (value) => bottom - (bottom - top) * toShare(value, ranges.y, plot.y.scale),
  };
}

function toRange(ascending: readonly number[]): Range {
  return { from: ascending[0] ?? 0, to: ascending.at(-1) ?? 1 };
}

function formatLegend(label: string, index: number, count: number): string {
  const x = AREA.left + ((AREA.right - AREA.left) * index) / Math.max(count, 3);
  return [
    `<line x1="${pixel(x)}" y1="44" x2="${pixel(x + 26)}" y2="44" ${stroke(index)}/>`,
    text(label, { x: x + 32, y: 48 }),
  ].join('\n');
}

function formatYTick(y: number, label: string): string {
  return [
    `<line x1="${AREA.left}" y1="${pixel(y)}" x2="${AREA.right}" y2="${pixel(y)}" stroke="${TEXT}" stroke-opacity="0.3"/>`,
    text(label, { x: AREA.left - 8, y: y + 4, more: 'text-anchor="end"' }),
  ].join('\n');
}

function formatXTick(x: number, label: string): string {
  return [
    `<line x1="${pixel(x)}" y1="${AREA.bottom}" x2="${pixel(x)}" y2="${AREA.bottom + 5}" stroke="${TEXT}"/>`,
    text(label, { x, y: AREA.bottom + 20, more: 'text-anchor="middle"' }),
  ].join('\n');
}

function formatLine({ points }: Line, index: number, place: Placing): string {
  const placed = points
    .toSorted((one, other) => one.x - other.x)
    .map(({ x, y }) => `${pixel(place.x(x))},${pixel(place.y(y))}`);
  const dots = placed.map((point) => {
    const [x, y] = point.split(',');
    return `<circle cx="${x}" cy="${y}" r="3.5" fill="${lineStyle(index).color}"/>`;
  });
  return [`<polyline points="${placed.join(' ')}" ${stroke(index)}/>`, ...dots].join('\n');
}

function lineStyle(index: number): (typeof LINE_STYLES)[number] {
  return LINE_STYLES[index % LINE_STYLES.length] ?? LINE_STYLES[0];
}

function stroke(index: number): string {
  const { color, dash } = lineStyle(index);
  const dashes = dash === '' ? '' : ` stroke-dasharray="${dash}"`;
  return `fill="none" stroke="${color}" stroke-width="2"${dashes}`;
}

interface Placement extends Point {
  /** Further attributes. */
  readonly more?: string;
}

function text(content: string, { x, y, more = '' }: Placement): string {
  return `<text x="${pixel(x)}" y="${pixel(y)}" ${more}>${escape(content)}</text>`;
}

function formatValue({ format = String }: Axis, value: number): string {
  return format(value);
}

function pixel(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escape(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
