import Table from 'cli-table3';
import { shorten, visible } from './figures.ts';

export interface TableOf {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Columns that hold numbers, by index: they are aligned to the right. */
  readonly numbers?: readonly number[];
  /** What gives way when the terminal is too narrow, in this order until the table fits. */
  readonly narrowing?: readonly Narrowing[];
}

/**
 * `below`: the columns move to a line of their own below each row, each with its name; empty cells are left out.
 * `cut`: the cells of the column are cut short, to not less than `least` letters. `say`: they are said in another way.
 */
export type Narrowing =
  | { readonly below: readonly number[] }
  | { readonly cut: number; readonly least: number }
  | { readonly say: number; readonly as: (cell: string) => string };

export interface Room {
  /** Letters in a line; `null` for a file or a pipe, where nothing gives way. */
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

/** A table while it gives way. `below` has the line under each row. Columns that moved there keep their index and are `hidden`. */
interface Fitting {
  readonly rows: readonly (readonly string[])[];
  readonly hidden: ReadonlySet<number>;
}

/** The table as lines of text without line ends behind. */
export function layOutTable(table: TableOf, { columns, dim }: Room): string {
  const { head, narrowing = [] } = table;
  const clean = table.rows.map((row) => row.map(visible));
  let fitting: Fitting = { rows: clean, hidden: new Set() };
  for (const step of narrowing) {
    const over = columns === null ? 0 : widthOf(head, fitting) - columns;
    fitting = over > 0 ? narrow(fitting, step, over) : fitting;
  }
  const { hidden, rows } = fitting;
  const shown = [...head.keys()].filter((column) => !hidden.has(column));
  const pick = (cells: readonly string[]) => shown.map((column) => cells[column] ?? '');
  const lines = draw(pick(head).map(dim), rows.map(pick), {
    numbers: shown.flatMap((column, place) => (table.numbers?.includes(column) ? [place] : [])),
  });
  return [
    lines[0],
    ...rows.flatMap((row, index) => [lines[index + 1], ...belowOf(head, row, hidden).map(dim)]),
  ].join('\n');
}

function widthOf(head: readonly string[], { rows, hidden }: Fitting): number {
  const widths = head.flatMap((name, column) =>
    hidden.has(column) ? [] : [Math.max(name.length, ...rows.map((row) => lengthOf(row[column])))],
  );
  return widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
}

function narrow({ rows, hidden }: Fitting, step: Narrowing, over: number): Fitting {
  if ('below' in step) {
    return { rows, hidden: new Set([...hidden, ...step.below]) };
  }
  if ('say' in step) {
    return { rows: change(rows, step.say, step.as), hidden };
  }
  const widest = Math.max(...rows.map((row) => lengthOf(row[step.cut])));
  const width = Math.max(widest - over, step.least);
  return { rows: change(rows, step.cut, (cell) => shorten(cell, width)), hidden };
}

function change(rows: Fitting['rows'], column: number, edit: (cell: string) => string) {
  return rows.map((row) => row.map((cell, index) => (index === column ? edit(cell) : cell)));
}

function belowOf(
  head: readonly string[],
  row: readonly string[],
  hidden: ReadonlySet<number>,
): string[] {
  const told = [...hidden].flatMap((column) =>
    row[column] === '' ? [] : [`${head[column]} ${row[column]}`],
  );
  return told.length === 0 ? [] : [GAP + told.join(GAP)];
}

function draw(
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

function lengthOf(cell = ''): number {
  return Array.from(cell).length;
}
