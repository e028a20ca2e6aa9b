import { proposeColumns } from './columns/propose-columns.ts';
import type { UsageColumns } from '../../shared/reconcile/usage-columns.ts';
import type { RawRow } from './read/raw-row.ts';
import { openExport } from './read/read-export.ts';
import { UserError } from '../errors.ts';

/** Rows by which the columns of a file are proposed. */
const SAMPLE = 1_000;
/** Rows that are shown to a person. */
const FIRST = 3;

/** The beginning of an export. */
export interface ExportSample {
  readonly format: 'csv' | 'json';
  /** Its columns in the order of the file, each with the first value. */
  readonly columns: ReadonlyMap<string, string>;
  /** The cells of the first rows by the names of columns. */
  readonly first: readonly ReadonlyMap<string, string>[];
  /** `null` when the shape of the columns says nothing. */
  readonly proposal: UsageColumns | null;
}

/** Reads the beginning of an export and proposes its columns. @throws UserError for a file that has no rows */
export async function readSample(file: string): Promise<ExportSample> {
  const { format, rows } = await openExport(file);
  const sample: RawRow[] = [];
  for await (const row of rows) {
    sample.push(row);
    if (sample.length === SAMPLE) break;
  }
  if (sample.length === 0) throw new UserError('There are no rows in this file.');
  const columns = new Map<string, string>();
  for (const [name, value] of sample.flatMap(({ cells }) => [...cells])) {
    if ((columns.get(name) ?? '') === '') columns.set(name, value);
  }
  const first = sample.slice(0, FIRST).map(({ cells }) => cells);
  return { format, columns, first, proposal: proposeColumns(sample) };
}
