import { styleText } from 'node:util';
import cliTruncate from 'cli-truncate';
import { wrapLines, escapeControls } from './format.ts';
import { formatTable, type TableData } from './table.ts';

/** The output of a command: results go to standard output, everything else to standard error. */
export interface Terminal {
  /** Whether a person uses both input and output. */
  readonly interactive: boolean;
  /** Whether some output could not be written; a reader that went away does not count. */
  readonly hasLostOutput: boolean;
  print(line: string): void;
  /** Prints sentences, wrapped on a terminal. */
  printText(text: string, lead?: TextPrefix): void;
  printJson(value: unknown): void;
  printTable(table: TableData): void;
  /** Prints sentences to standard error, wrapped on a terminal. */
  printError(this: void, text: string): void;
  /** Prints one line to standard error unchanged. */
  writeLog(this: void, line: string): void;
  /** Whether standard error is a terminal on which a line can be redrawn. */
  readonly canRedraw: boolean;
  /** Draws one line on standard error, cut to its width, replacing the previous one. The next output replaces it. */
  redraw(line: string): void;
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
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (lost || READER_LEFT.has(error.code ?? '')) {
      return;
    }
    lost = true;
    stderr.write(`Standard output cannot be written: ${error.message}\n`);
  });
  // Nobody reads the log any more, which is no reason to stop.
  stderr.on('error', () => undefined);
  const live = liveLine(process);
  const style = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    styleText(format, text, { stream: stdout });
  const print = (line: string) => {
    live.clear();
    stdout.write(`${line}\n`);
  };
  const complain = (line: string) => {
    live.clear();
    stderr.write(`${line}\n`);
  };
  return {
    interactive: stdin.isTTY && stdout.isTTY,
    get hasLostOutput() {
      return lost;
    },
    print,
    printText: (text, { first, width } = { first: '', width: 0 }) =>
      wrapLines(text, proseWidth(stdout, width)).forEach((line, index) =>
        print((index === 0 ? first : ' '.repeat(width)) + escapeControls(line)),
      ),
    printJson: (value) => print(escapeInvisible(JSON.stringify(value, null, 2))),
    printTable: (table) =>
      print(
        formatTable(table, { columns: stdout.isTTY ? stdout.columns : null, dim: style('dim') }),
      ),
    printError: (text) =>
      complain(wrapLines(text, proseWidth(stderr)).map(escapeControls).join('\n')),
    writeLog: complain,
    canRedraw: live.possible,
    redraw: (line) => live.draw(line),
    ringBell: () => void (stderr.isTTY && stderr.write('\u0007')),
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
    draw(line: string): void {
      // A line as wide as the terminal would wrap into the next one, which is never cleared.
      stderr.write(CLEAR + cliTruncate(escapeControls(line), stderr.columns - 1));
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
  return stream.isTTY ? Math.min(80, stream.columns) - indent : null;
}
