import { listColumns, type UsageColumns } from '../../shared/reconcile/usage-columns.ts';
import { UserError } from '../errors.ts';
import type { ExportSample } from './read-sample.ts';

/** The most names of columns in a message, and the most characters of one of them. */
const MAX_NAMES = 40;
const MAX_NAME = 60;

/** Returns a column that is assigned and that the file does not have. */
export function findAbsent(
  columns: UsageColumns,
  sample: Pick<ExportSample, 'columns'>,
): string | null {
  return listColumns(columns).find((name) => !sample.columns.has(name)) ?? null;
}

/** @throws UserError when the file does not have the columns, or they have nothing to compare */
export function checkColumns(columns: UsageColumns, sample: Pick<ExportSample, 'columns'>): void {
  const absent = findAbsent(columns, sample);
  if (absent !== null) {
    throw new UserError(
      `The file has no column ${JSON.stringify(absent)}. It has: ${listNames(sample)}.`,
    );
  }
  const { requests, input, output, cost } = columns;
  if (cost === null && requests === null && input.length + output.length === 0) {
    throw new UserError('Name a column to compare: input, output, cost or requests.');
  }
}

/** Lists the names of the first columns for people. */
export function listNames({ columns }: Pick<ExportSample, 'columns'>): string {
  const names = [...columns.keys()];
  const more = names.length > MAX_NAMES ? ', …' : '';
  return names.slice(0, MAX_NAMES).map(shorten).join(', ') + more;
}

function shorten(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name;
}
