import type { BookEntry } from '../../../../sandbox/server.ts';
import type { UsageRow } from './rows.ts';

/** Why an answer reported no usage. */
export type EstimateCause = 'cut' | 'nothing came' | 'killed' | 'not reported';

/** Relative errors of estimates: median and 95th percentile of `of` rows, and the error of their sum. */
export interface EstimateError {
  readonly of: number;
  readonly median: number;
  readonly p95: number;
  /** (estimated − real) / real of all together: below 0 when they are short. */
  readonly sum: number;
}

export interface EstimateErrors {
  readonly cause: EstimateCause;
  readonly input: EstimateError;
  readonly output: EstimateError;
}

const CAUSES: readonly EstimateCause[] = ['cut', 'nothing came', 'killed', 'not reported'];

/** Compares estimated rows with what the sandbox had read and produced. */
export function measureEstimates(
  pairs: readonly (readonly [UsageRow, BookEntry])[],
): readonly EstimateErrors[] {
  return CAUSES.flatMap((cause) => {
    const found = pairs.filter(([row]) => row.source === 'estimated' && findCause(row) === cause);
    if (found.length === 0) return [];
    const input = found.map(([row, { usage }]) => [row.input ?? 0, usage?.input ?? 0] as const);
    const output = found.map(([row, { produced }]) => [row.output ?? 0, produced] as const);
    return [{ cause, input: toError(input), output: toError(output) }];
  });
}

function findCause({ errorCode, endedBy, bytesOut, status }: UsageRow): EstimateCause {
  if (errorCode === 'gateway_stopped') return 'killed';
  // Gatehouse answers with an error where none came.
  if (bytesOut === 0 || (status ?? 0) >= 400) return 'nothing came';
  return endedBy === 'client' || errorCode !== null ? 'cut' : 'not reported';
}

/** An error relative to nothing is that of one token. */
function toError(pairs: readonly (readonly [estimated: number, real: number])[]): EstimateError {
  const errors = pairs
    .map(([estimated, real]) => Math.abs(estimated - real) / Math.max(1, real))
    .toSorted((one, other) => one - other);
  const at = (part: number) =>
    errors[Math.min(errors.length - 1, Math.floor(errors.length * part))];
  const estimated = pairs.reduce((sum, [one]) => sum + one, 0);
  const real = pairs.reduce((sum, [, one]) => sum + one, 0);
  return {
    of: pairs.length,
    median: at(0.5) ?? 0,
    p95: at(0.95) ?? 0,
    sum: (estimated - real) / Math.max(1, real),
  };
}
