import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export interface LogFileLimits {
  /** Maximum size of one file in bytes. */
  readonly bytes: number;
  /** Maximum number of files, including the current one. */
  readonly files: number;
}

const MAX_LINE_LENGTH = 16_000;
const LIMITS: LogFileLimits = { bytes: 1_000_000, files: 3 };

/**
 * A log in files of limited size: a full `engine.log` becomes `engine.log.1`, that one `engine.log.2`, and the oldest is removed. Lines
 * are written synchronously, so that the last ones before a crash are on disk. Never throws, because a log must not stop the program.
 */
export function openLogFile(file: string, limits = LIMITS): (text: string | Uint8Array) => void {
  return (text) => {
    try {
      // Another process may have added a line.
      const size = readSize(file);
      if (size > 0 && size + Buffer.byteLength(text) > limits.bytes) rotate(file, limits.files);
      appendFileSync(file, text, { mode: 0o600 });
    } catch {
      // The disk is full, or the folder was removed; the next line tries again.
    }
  };
}

/**
 * Appends a last line to a log whose owner is another process, synchronously, because data in a pipe may be lost when a process ends.
 * Only the owner rotates the files, so the line is cut at `MAX_LINE_LENGTH` characters. Never throws.
 */
export function appendToLogFile(file: string, line: string): void {
  try {
    readSize(file);
    appendFileSync(file, `${line.slice(0, MAX_LINE_LENGTH)}\n`, { mode: 0o600 });
  } catch {
    // There is nowhere left to report it.
  }
}

/** Returns the present size of the file in bytes. */
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
