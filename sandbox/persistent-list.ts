import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A list that is stored in a file, or in memory only. Each change is written atomically before `save` returns. */
export interface PersistentList<Entry> {
  /** The entries read when the list was opened; empty when the file was damaged. */
  readonly entries: readonly Entry[];
  save(entries: Iterable<Entry>): void;
}

export interface PersistentListOptions<Entry> {
  readonly file: string;
  /** Parses an entry; throws when it is invalid. */
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
          `The sandbox cannot write ${file}. The changes will be lost at its next start: ${String(error)}`,
        );
      }
    },
  };
}

function readEntries<Entry>({ file, parse, log }: PersistentListOptions<Entry>): readonly Entry[] {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!Array.isArray(value)) throw new Error('It does not contain a list.');
    return value.map(parse);
  } catch (error) {
    const absent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!absent) log(`The sandbox cannot read ${file} and starts without it: ${String(error)}`);
    return [];
  }
}
