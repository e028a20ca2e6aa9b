import type { Log, LogLevel } from '../../gateway/host.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogLevel[];

export interface LogOptions {
  readonly level: LogLevel;
  /** Writes one line, which is passed without its line end. */
  readonly write: (line: string) => void;
  /** Removes every secret from a line. */
  readonly redact: (line: string) => string;
  /** Unix time in milliseconds. */
  readonly now: () => number;
}

/** Creates a log of lines with time (UTC), level, message and fields; lines below `level` are dropped. */
export function createLog({ level, write, redact, now }: LogOptions): Log {
  const lowest = LOG_LEVELS.indexOf(level);
  return (lineLevel, message, fields = {}) => {
    if (LOG_LEVELS.indexOf(lineLevel) < lowest) {
      return;
    }
    // The class of an error helps to find a bug; for an expected error it tells a person nothing.
    const format = lineLevel === 'error' ? (text: string) => text : withoutClassNames;
    const pairs = Object.entries(fields).map(
      ([name, value]) => `${name}=${quote(format(String(value)))}`,
    );
    const parts = [lineLevel.padEnd(5), format(message), ...pairs];
    const line = [new Date(now()).toISOString(), ...parts].join(' ');
    write(redact(line).replace(/[\p{Cc}\u2028\u2029]/gu, ' '));
  };
}

function withoutClassNames(text: string): string {
  return text.replace(/(?<=^|: )(?:[A-Z][A-Za-z]*)?(?:Error|Problem|Failed|Refused|Taken): /gu, '');
}

function quote(value: string): string {
  return /[\s"=]/u.test(value) ? JSON.stringify(value) : value;
}
