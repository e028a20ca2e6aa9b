import { once } from 'node:events';
import { styleText } from 'node:util';
import { wrapLines, escapeControls } from './format.ts';
import type { TableData } from './table.ts';

/** The output of a command: results go to standard output, everything else to standard error. */
export interface Terminal {
  /** Whether a person uses both input and output. */
  readonly interactive: boolean;
  /** Whether some output could not be written; a reader that went away does not count. */
  readonly hasLostOutput: boolean;
  /** Is aborted when the reader of standard output goes away, or it cannot be written. */
  readonly outputClosed: AbortSignal;
  /** The number of columns of standard output; `null` for a file or a pipe. */
  readonly columns: number | null;
  print(line: string): void;
  /** Writes text to standard output unchanged. Resolves when there is space for more. */
  write(text: string): Promise<void>;
  /** Prints sentences, wrapped on a terminal. */
  printText(text: string, lead?: TextPrefix): void;
  printJson(value: unknown): void;
  /** Prints a JSON document on one line. */
  printJsonLine(value: unknown): void;
  printTable(table: TableData): Promise<void>;
  /** Prints sentences to standard error, wrapped on a terminal. */
  printError(this: void, text: string): void;
  /** Prints one line to standard error unchanged. */
  writeLog(this: void, line: string): void;
  /** Whether standard error is a terminal on which a line can be redrawn. */
  readonly canRedraw: boolean;
  /**
   * Draws one line on standard error, replacing the previous one. The next output replaces it. `format` gets the width, in columns, that
   * the line may have.
   */
  redraw(format: (columns: number) => string): void;
  /** Rings the bell of a terminal. */
  ringBell(): void;
  bold(text: string): string;
  dim(text: string): string;
  green(text: string): string;
  yellow(this: void, text: string): string;
  red(text: string): string;
}

/** The indentation of sentences: `first` before the first line, spaces of the same width before the others. */
export interface TextPrefix {
  readonly first: string;
  /** Visible width of `first`, which may contain colours. */
  readonly width: number;
}

/** Creates the output. Colours appear on a terminal only, and never with NO_COLOR. A reader that went away causes no error. */
export function openTerminal(process: NodeJS.Process): Terminal {
  const { stdin, stdout, stderr } = process;
  let lost = false;
  const outputClosed = new AbortController();
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    outputClosed.abort();
    if (lost || READER_LEFT.has(error.code ?? '')) {
      return;
    }
    lost = true;
    stderr.write(`Standard output cannot be written: ${error.message}\n`);
  });
  // Nobody reads the log any more, which is no reason to stop.
  stderr.on('error', () => undefined);
  const live = liveLine(process);
  const { dim } = createStyles(stdout);
  const print = (line: string) => {
    live.clear();
    stdout.write(`${line}\n`);
  };
  const writeError = (line: string) => {
    live.clear();
    stderr.write(`${line}\n`);
  };
  return {
    interactive: stdin.isTTY && stdout.isTTY,
    get hasLostOutput() {
      return lost;
    },
    outputClosed: outputClosed.signal,
    get columns() {
      return stdout.isTTY ? countColumns(stdout) : null;
    },
    print,
    write: async (text) => {
      live.clear();
      if (stdout.write(text) || outputClosed.signal.aborted) return;
      await once(stdout, 'drain', { signal: outputClosed.signal }).catch(() => undefined);
    },
    printText: (text, { first, width } = { first: '', width: 0 }) =>
      wrapLines(text, proseWidth(stdout, width)).forEach((line, index) =>
        print((index === 0 ? first : ' '.repeat(width)) + escapeControls(line)),
      ),
    printJson: (value) => print(escapeInvisible(JSON.stringify(value, null, 2))),
    printTable: async (table) => {
      // It is loaded only here: measuring the width of texts takes 25 ms to load, and most runs print no table.
      const { formatTable } = await import('./table.ts');
      print(formatTable(table, { columns: stdout.isTTY ? countColumns(stdout) : null, dim }));
    },
    printJsonLine: (value) => print(escapeInvisible(JSON.stringify(value))),
    printError: (text) =>
      writeError(wrapLines(text, proseWidth(stderr)).map(escapeControls).join('\n')),
    writeLog: writeError,
    canRedraw: live.possible,
    redraw: (format) => live.draw(format),
    ringBell: () => void (stderr.isTTY && stderr.write('\u0007')),
    ...createStyles(stdout),
  };
}

function createStyles(stream: NodeJS.WriteStream) {
  const style = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    styleText(format, text, { stream });
  return {
    bold: style('bold'),
    dim: style('dim'),
    green: style('green'),
    yellow: style('yellow'),
    red: style('red'),
  };
}

/** Moves to the first column and clears the line. */
const CLEAR = '\r\u001b[2K';

/** One line at the bottom of a terminal. */
function liveLine({ stderr, env }: NodeJS.Process) {
  const possible = stderr.isTTY && env['TERM'] !== 'dumb';
  let drawn = false;
  return {
    possible,
    draw(format: (columns: number) => string): void {
      // A line as wide as the terminal would wrap into the next one, which is never cleared.
      stderr.write(CLEAR + escapeControls(format(countColumns(stderr) - 1)));
      drawn = true;
    },
    clear(): void {
      if (drawn) stderr.write(CLEAR);
      drawn = false;
    },
  };
}

/** The errors of a pipe without a reader, and of writes after that: they are no fault, and the command keeps its own exit code. */
const READER_LEFT: ReadonlySet<string> = new Set(['EPIPE', 'ERR_STREAM_DESTROYED']);

/** Escapes the rest of the characters that a terminal interprets; the JSON document means the same. */
function escapeInvisible(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Longer lines are hard to read even where there is space for them. `null`: not a terminal. */
function proseWidth(stream: NodeJS.WriteStream, indent = 0): number | null {
  return stream.isTTY ? Math.min(DEFAULT_COLUMNS, countColumns(stream)) - indent : null;
}

const DEFAULT_COLUMNS = 80;

/** Returns the width of a terminal. Some, such as a serial line or a new pseudo-terminal, report 0 columns. */
function countColumns({ columns }: NodeJS.WriteStream): number {
  return columns > 0 ? columns : DEFAULT_COLUMNS;
}
