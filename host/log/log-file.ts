import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export interface LogFileLimits {
  /** Of one file. */
  readonly bytes: number;
  /** How many are kept, the one that is written to among them. */
  readonly files: number;
}

const LONGEST_LINE = 16_000;
const LIMITS: LogFileLimits = { bytes: 1_000_000, files: 3 };

/**
 * A log in a file that stays small: a full `engine.log` becomes `engine.log.1`, that one `engine.log.2`, and the oldest goes. What
 * was taken is written at once, so that the last lines before a crash are there. Never throws: a log must not stop what it tells of.
 */
export function openLogFile(file: string, limits = LIMITS): (text: string | Uint8Array) => void {
  return (text) => {
    try {
      // Another process may have added a line.
      const size = readSize(file);
      if (size > 0 && size + Buffer.byteLength(text) > limits.bytes) rotate(file, limits.files);
      appendFileSync(file, text, { mode: 0o600 });
    } catch {
      // A full disk, or a folder that was taken away: the next line finds out anew.
    }
  };
}

/**
 * Adds a last line to a log whose owner is another process, at once: what is still in a pipe when a process ends may be lost. Only the
 * owner begins new files, so the line has an end of its own, at `LONGEST_LINE` characters. Never throws.
 */
export function appendToLogFile(file: string, line: string): void {
  try {
    readSize(file);
    appendFileSync(file, `${line.slice(0, LONGEST_LINE)}\n`, { mode: 0o600 });
  } catch {
    // There is nobody left to tell.
  }
}

/** How large the file is already. */
function readSize(file: string): number {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function rotate(file: string, files: number): void {
  const names = [file, ...Array.from({ length: files - 1 }, (_, index) => `${file}.${index + 1}`)];
  for (const [index, name] of [...names.entries()].toReversed()) {
    const next = names[index + 1];
    if (next !== undefined && statSync(name, { throwIfNoEntry: false }) !== undefined) {
      renameSync(name, next);
    }
  }
}
