import type { ExportRow } from '../match/types.ts';
import type { RawRow } from '../read/raw-row.ts';
import { parseCost, parseCount, parseExportTime } from './parse-cells.ts';
import type { UsageColumns } from '../../../shared/reconcile/usage-columns.ts';

/** The reason for which a row cannot be used, for people. */
export interface RowFault {
  readonly place: number;
  readonly reason: string;
}

/** Reads the assigned columns of a row. */
export function readRow(row: RawRow, columns: UsageColumns): ExportRow | RowFault {
  const { place, cells, fault } = row;
  try {
    if (fault !== null) throw new CellError(fault);
    const get = (name: string | null) => (name === null ? '' : (cells.get(name) ?? ''));
    const count = (name: string) =>
      read(name, parseCount(get(name)), 'is no whole number of at least 0');
    const { cost, requests } = columns;
    return {
      place,
      at: read(
        columns.time,
        parseExportTime(get(columns.time), columns.timeZone)?.at ?? null,
        'is no time',
      ),
      model: get(columns.model).trim(),
      id: get(columns.id).trim() || null,
      requests: requests === null || columns.rows === 'request' ? 1 : count(requests),
      input: sum(columns.input.map(count)),
      output: sum(columns.output.map(count)),
      cost: cost === null ? 0 : read(cost, parseCost(get(cost)), 'is no amount'),
    };
  } catch (error) {
    if (error instanceof CellError) return { place, reason: error.message };
    throw error;
  }
}

class CellError extends Error {}

function read(column: string, value: number | null, fault: string): number {
  if (value === null) throw new CellError(`“${column}” ${fault}`);
  return value;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
