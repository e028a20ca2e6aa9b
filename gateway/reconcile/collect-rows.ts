import { formatCount } from '../../shared/format.ts';
import { UserError } from '../errors.ts';
import { type RowFault, readRow } from './columns/read-row.ts';
import type { UsageColumns } from '../../shared/reconcile/usage-columns.ts';
import type { ExportRow } from './match/types.ts';
import { openExport } from './read/read-export.ts';

/** The most rows of a period that are compared, and the most exchanges. So many rows take about half a GiB of memory. */
export const MAX_COMPARED = 500_000;
export const TOO_MANY = `There are more than ${formatCount(MAX_COMPARED)} requests in this period. Compare a shorter one.`;

/** Faults that are listed. */
const MAX_FAULTS = 100;

/** Rows that could not be read. */
export interface Faults {
  readonly count: number;
  readonly first: readonly RowFault[];
}

/** The rows of a file that can be compared. */
export interface CollectedRows {
  readonly rows: readonly ExportRow[];
  /** Rows that could be read, with those outside the period. */
  readonly read: number;
  /** The times of the first and the last row that could be read. */
  readonly first: number;
  readonly last: number;
  readonly unreadable: Faults;
}

/** Reads the rows of a file whose time is from `from` and before `end`. @throws UserError, also when no row can be read */
export async function collectRows(
  file: string,
  columns: UsageColumns,
  { from, end }: { readonly from: number; readonly end: number },
): Promise<CollectedRows> {
  const rows: ExportRow[] = [];
  const faults: RowFault[] = [];
  const models = new Map<string, string>();
  let [read, unreadable] = [0, 0];
  let [first, last] = [Infinity, -Infinity];
  const source = await openExport(file);
  for await (const raw of source.rows) {
    const row = readRow(raw, columns);
    if ('reason' in row) {
      unreadable += 1;
      if (faults.length < MAX_FAULTS) faults.push(row);
      continue;
    }
    read += 1;
    first = Math.min(first, row.at);
    last = Math.max(last, row.at);
    if (row.at < from || row.at >= end) continue;
    if (rows.length === MAX_COMPARED) throw new UserError(TOO_MANY);
    rows.push({ ...row, model: intern(models, row.model) });
  }
  if (read === 0) throw new UserError(describeNone(faults[0], source.format));
  return { rows, read, first, last, unreadable: { count: unreadable, first: faults } };
}

/** Returns one spelling for names that differ in case only. */
function intern(models: Map<string, string>, model: string): string {
  const key = model.toLowerCase();
  const known = models.get(key);
  if (known === undefined) models.set(key, model);
  return known ?? model;
}

function describeNone(fault: RowFault | undefined, format: 'csv' | 'json'): string {
  if (fault === undefined) return 'There are no rows in this file.';
  const place = format === 'csv' ? 'Line' : 'Entry';
  return `No row of this file can be read with these columns. ${place} ${fault.place}: ${fault.reason}.`;
}
