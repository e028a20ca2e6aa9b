/** One axis of a plot. Its title names the unit. */
export interface Axis {
  readonly title: string;
  readonly scale: 'linear' | 'log';
  /** Formats the label of a value; as the number itself unless given. */
  readonly format?: (value: number) => string;
}

/** The range of values that an axis shows. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const STEPS = [1, 2, 5, 10];
const TICKS = 6;

/** Returns the share of an axis, 0 to 1, at which a value lies. */
export function toShare(value: number, { from, to }: Range, scale: Axis['scale']): number {
  if (from === to) return 0.5;
  if (scale === 'linear') return (value - from) / (to - from);
  return Math.log(value / from) / Math.log(to / from);
}

/** Returns round values that include all of the given ones, ascending: from 0 on a linear axis, in steps of 1, 2 and 5 on another. */
export function roundTicks(values: readonly number[], scale: Axis['scale']): number[] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (scale === 'linear') return linearTicks(Math.max(most, Number.MIN_VALUE));
  const first = 10 ** Math.floor(Math.log10(least));
  const decades = Math.ceil(Math.log10(most / first)) + 1;
  const all = Array.from({ length: decades }, (_, n) =>
    STEPS.slice(0, 3).map((step) => toPrecise(step * first * 10 ** n)),
  ).flat();
  const start = all.findLastIndex((tick) => tick <= least);
  const end = all.findIndex((tick) => tick >= most);
  return all.slice(Math.max(0, start), end + 1);
}

function linearTicks(most: number): number[] {
  const rough = most / (TICKS - 1);
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = (STEPS.find((one) => one * decade >= rough) ?? 10) * decade;
  const count = Math.ceil(most / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, n) => toPrecise(n * step));
}

/** Removes the error of binary fractions, such as that of 0.1 + 0.2. */
function toPrecise(value: number): number {
  return Number(value.toPrecision(9));
}
