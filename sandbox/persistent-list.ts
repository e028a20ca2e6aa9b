import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A list that outlives the process when it has a file. Each change is on disk when `keep` returns, whole or not at all. */
export interface PersistentList<Entry> {
  /** As they were found at the opening; empty when the file was damaged. */
  readonly entries: readonly Entry[];
  save(entries: Iterable<Entry>): void;
}

export interface PersistentListOptions<Entry> {
  readonly file: string;
  /** Throws when it is no entry. */
  readonly parse: (value: unknown) => Entry;
  readonly log: (message: string) => void;
}

export function createMemoryList<Entry>(): PersistentList<Entry> {
  return { entries: [], save: () => {} };
}

export function openPersistentList<Entry>(
  options: PersistentListOptions<Entry>,
): PersistentList<Entry> {
  const { file, log } = options;
  return {
    entries: readEntries(options),
    save: (entries) => {
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

function readEntries<Entry>({ file, parse, log }: PersistentListOptions<Entry>): readonly Entry[] {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!Array.isArray(value)) throw new Error('It holds no list.');
    return value.map(parse);
  } catch (error) {
    const absent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!absent) log(`The sandbox cannot read ${file} and begins without it: ${String(error)}`);
    return [];
  }
}
