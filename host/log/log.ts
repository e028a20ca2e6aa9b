import type { Log, LogLevel } from '../../gateway/host.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogLevel[];

export interface LogOptions {
  readonly level: LogLevel;
  /** Takes one line without its line end. */
  readonly write: (line: string) => void;
  /** Takes every secret out of a line. */
  readonly redact: (line: string) => string;
  /** Unix time in milliseconds. */
  readonly now: () => number;
}

/** The log as lines of time (UTC), level, message and fields; lines below `level` are dropped. */
export function createLog({ level, write, redact, now }: LogOptions): Log {
  const lowest = LOG_LEVELS.indexOf(level);
  return (lineLevel, message, fields = {}) => {
    if (LOG_LEVELS.indexOf(lineLevel) < lowest) {
      return;
    }
    // A bug is looked for by the class of its error; in what is planned for, the class says nothing to a person.
    const words = lineLevel === 'error' ? (text: string) => text : withoutClassNames;
    const pairs = Object.entries(fields).map(
      ([name, value]) => `${name}=${quote(words(String(value)))}`,
    );
    const said = [lineLevel.padEnd(5), words(message), ...pairs];
    const line = [new Date(now()).toISOString(), ...said].join(' ');
    write(redact(line).replace(/[\p{Cc}\u2028\u2029]/gu, ' '));
  };
}

function withoutClassNames(text: string): string {
  return text.replace(/(?<=^|: )(?:[A-Z][A-Za-z]*)?(?:Error|Problem|Failed|Refused|Taken): /gu, '');
}

function quote(value: string): string {
  return /[\s"=]/u.test(value) ? JSON.stringify(value) : value;
}
