import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A list that outlives the process when it has a file. Each change is on disk when `keep` returns, whole or not at all. */
export interface Shelf<Entry> {
  /** As they were found at the opening; empty when the file was damaged. */
  readonly entries: readonly Entry[];
  keep(entries: Iterable<Entry>): void;
}

export interface ShelfOptions<Entry> {
  readonly file: string;
  /** Throws when it is no entry. */
  readonly read: (value: unknown) => Entry;
  readonly log: (message: string) => void;
}

export function memoryShelf<Entry>(): Shelf<Entry> {
  return { entries: [], keep: () => {} };
}

export function openShelf<Entry>(options: ShelfOptions<Entry>): Shelf<Entry> {
  const { file, log } = options;
  return {
    entries: readEntries(options),
    keep: (entries) => {
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        writeFileSync(`${file}.part`, JSON.stringify([...entries]), { mode: 0o600, flush: true });
        renameSync(`${file}.part`, file);
      } catch (error) {
        log(
          `The sandbox cannot write ${file} and will have forgotten it at its next start: ${String(error)}`,
        );
      }
    },
  };
}

function readEntries<Entry>({ file, read, log }: ShelfOptions<Entry>): readonly Entry[] {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!Array.isArray(value)) throw new Error('It holds no list.');
    return value.map(read);
  } catch (error) {
    const absent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!absent) log(`The sandbox cannot read ${file} and begins without it: ${String(error)}`);
    return [];
  }
}
