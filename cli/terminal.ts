import { styleText } from 'node:util';
import Table from 'cli-table3';
import { shorten } from './figures.ts';

/** Where a command speaks: results to standard output, everything else to standard error. */
export interface Terminal {
  /** Whether a person sits at both ends. */
  readonly interactive: boolean;
  print(line: string): void;
  printJson(value: unknown): void;
  printTable(table: TableOf): void;
  complain(this: void, line: string): void;
  strong(text: string): string;
  quiet(text: string): string;
  good(text: string): string;
  warning(this: void, text: string): string;
  bad(text: string): string;
}

export interface TableOf {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Columns that hold numbers, by index: they are aligned to the right. */
  readonly numbers?: readonly number[];
  /** Columns that may be cut short to fit the terminal, by index. */
  readonly flexible?: readonly number[];
}

/** Colours appear on a terminal only, and never with NO_COLOR. A reader that went away ends the program quietly. */
export function openTerminal(process: NodeJS.Process): Terminal {
  const { stdin, stdout, stderr } = process;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') {
      throw error;
    }
    process.exit(0);
  });
  // Nobody reads the log any more: no reason to stop what is running.
  stderr.on('error', () => undefined);
  const style = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    styleText(format, text, { stream: stdout });
  const print = (line: string) => void stdout.write(`${line}\n`);
  return {
    interactive: stdin.isTTY && stdout.isTTY,
    print,
    printJson: (value) => print(JSON.stringify(value, null, 2)),
    printTable: (table) =>
      print(layOut(fit(table, stdout.isTTY ? stdout.columns : null), style('dim'))),
    complain: (line) => void stderr.write(`${line}\n`),
    strong: style('bold'),
    quiet: style('dim'),
    good: style('green'),
    warning: style('yellow'),
    bad: style('red'),
  };
}

/** Cuts the longest flexible cells until the table fits; what goes into a file or a pipe is never cut. */
function fit(table: TableOf, columns: number | null): TableOf {
  const { head, rows, flexible = [] } = table;
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => Array.from(row[column] ?? '').length)),
  );
  const total = widths.reduce((sum, width) => sum + width, GAP.length * (head.length - 1));
  const over = columns === null ? 0 : total - columns;
  const widest = flexible.toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))[0];
  if (over <= 0 || widest === undefined) {
    return table;
  }
  const width = Math.max((widths[widest] ?? 0) - over, NARROWEST);
  const cut = rows.map((row) =>
    row.map((cell, column) => (column === widest ? shorten(cell, width) : cell)),
  );
  const others = flexible.filter((column) => column !== widest);
  return fit({ ...table, rows: cut, flexible: others }, columns);
}

function layOut({ head, rows, numbers = [] }: TableOf, dim: (text: string) => string): string {
  const table = new Table({
    head: head.map(dim),
    chars: NO_BORDERS,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    colAligns: head.map((_name, column) => (numbers.includes(column) ? 'right' : 'left')),
  });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

const GAP = '  ';
const NARROWEST = 8;
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
