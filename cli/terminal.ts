import { styleText } from 'node:util';
import Table from 'cli-table3';

/** Where a command speaks: results to standard output, everything else to standard error. */
export interface Terminal {
  /** Whether a person sits at both ends. */
  readonly interactive: boolean;
  /** Width of standard output in columns; `null` when it is no terminal. */
  readonly columns: number | null;
  print(line: string): void;
  printJson(value: unknown): void;
  printTable(table: TableOf): void;
  complain(this: void, line: string): void;
  strong(text: string): string;
  quiet(text: string): string;
  good(text: string): string;
  warning(text: string): string;
  bad(text: string): string;
}

export interface TableOf {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Columns that hold numbers, by index: they are aligned to the right. */
  readonly numbers?: readonly number[];
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
    columns: stdout.isTTY ? stdout.columns : null,
    print,
    printJson: (value) => print(JSON.stringify(value, null, 2)),
    printTable: (table) => print(layOut(table, style('dim'))),
    complain: (line) => void stderr.write(`${line}\n`),
    strong: style('bold'),
    quiet: style('dim'),
    good: style('green'),
    warning: style('yellow'),
    bad: style('red'),
  };
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
  middle: '  ',
};
