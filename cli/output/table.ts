import Table from 'cli-table3';
import cliTruncate from 'cli-truncate';
import stringWidth from 'string-width';
import { escapeControls } from './format.ts';

export interface TableData {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Indexes of the columns of numbers, which are aligned to the right. */
  readonly numbers?: readonly number[];
  /** Changes to make when the terminal is too narrow, in this order until the table fits. */
  readonly narrowing?: readonly NarrowingStep[];
}

/**
 * A way to make a table narrower. `below` moves columns to a line of their own under each row, each with its name and without empty
 * cells. `truncate` shortens the cells of a column to no fewer than `minWidth` columns of the terminal. `abbreviate` replaces them with a
 * shorter text.
 */
export type NarrowingStep =
  | { readonly below: readonly number[] }
  | { readonly truncate: number; readonly minWidth: number }
  | { readonly abbreviate: number; readonly format: (cell: string) => string };

export interface TableLayout {
  /** Number of columns of the terminal; `null` for a file or a pipe, where nothing is shortened. */
  readonly columns: number | null;
  readonly dim: (text: string) => string;
}

const GAP = '  ';
const NO_BORDERS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: GAP,
};

/** A table while it is being shortened. `below` has the line under each row. Columns that moved there keep their index and are `hidden`. */
interface FittedTable {
  readonly rows: readonly (readonly string[])[];
  readonly hidden: ReadonlySet<number>;
}

/** Formats the table as lines of text without trailing spaces. */
export function formatTable(table: TableData, { columns, dim }: TableLayout): string {
  const { head, narrowing = [] } = table;
  const clean = table.rows.map((row) => row.map(escapeControls));
  let fitting: FittedTable = { rows: clean, hidden: new Set() };
  for (const step of narrowing) {
    const overflow = columns === null ? 0 : tableWidth(head, fitting) - columns;
    fitting = overflow > 0 ? narrow(fitting, step, overflow) : fitting;
  }
  const { hidden, rows } = fitting;
  const shown = [...head.keys()].filter((column) => !hidden.has(column));
  const pick = (cells: readonly string[]) => shown.map((column) => cells[column] ?? '');
  const lines = drawTable(pick(head).map(dim), rows.map(pick), {
    numbers: shown.flatMap((column, place) => (table.numbers?.includes(column) ? [place] : [])),
  });
  return [
    lines[0],
    ...rows.flatMap((row, index) => [lines[index + 1], ...formatBelow(head, row, hidden).map(dim)]),
  ].join('\n');
}

function tableWidth(head: readonly string[], { rows, hidden }: FittedTable): number {
  const widths = head.flatMap((name, column) =>
    hidden.has(column)
      ? []
      : [Math.max(name.length, ...rows.map((row) => stringWidth(row[column] ?? '')))],
  );
  return widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
}

function narrow({ rows, hidden }: FittedTable, step: NarrowingStep, overflow: number): FittedTable {
  if ('below' in step) {
    return { rows, hidden: new Set([...hidden, ...step.below]) };
  }
  if ('abbreviate' in step) {
    return { rows: mapColumn(rows, step.abbreviate, step.format), hidden };
  }
  const widest = Math.max(...rows.map((row) => stringWidth(row[step.truncate] ?? '')));
  const width = Math.max(widest - overflow, step.minWidth);
  return { rows: mapColumn(rows, step.truncate, (cell) => cliTruncate(cell, width)), hidden };
}

function mapColumn(rows: FittedTable['rows'], column: number, edit: (cell: string) => string) {
  return rows.map((row) => row.map((cell, index) => (index === column ? edit(cell) : cell)));
}

function formatBelow(
  head: readonly string[],
  row: readonly string[],
  hidden: ReadonlySet<number>,
): string[] {
  const moved = [...hidden].flatMap((column) =>
    row[column] === '' ? [] : [`${head[column]} ${row[column]}`],
  );
  return moved.length === 0 ? [] : [GAP + moved.join(GAP)];
}

function drawTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { numbers }: { readonly numbers: readonly number[] },
): readonly string[] {
  const table = new Table({
    head: [...head],
    chars: NO_BORDERS,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    colAligns: head.map((_name, column) => (numbers.includes(column) ? 'right' : 'left')),
  });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}
