/** Returns the quantile `q` (0 to 1) of the values, by nearest rank. `NaN` when there are none. */
export function quantile(values: readonly number[] | Float64Array, q: number): number {
  const sorted = Float64Array.from(values).toSorted();
  const rank = Math.max(0, Math.ceil(q * sorted.length) - 1);
  return sorted[rank] ?? Number.NaN;
}

/** Returns the median; the mean of the two middle values when their number is even. `NaN` when there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2;
}
