import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AddressedFile } from './files.ts';
import { optionalFlag, requireNumber, requireObject, requireText } from './json.ts';
import { openPersistentList, type PersistentList } from './persistent-list.ts';

/** Opens the uploaded files stored in a folder: a list, and the bytes of each file under its hash. */
export function openFileList(
  folder: string,
  log: (message: string) => void,
): PersistentList<AddressedFile> {
  const list = openPersistentList({ file: join(folder, 'files.json'), parse: parseFile, log });
  const bytesIn = join(folder, 'files');
  const withBytes = (entry: AddressedFile): AddressedFile => {
    const bytes = readBytes(join(bytesIn, entry.file.sha256));
    return { ...entry, file: { ...entry.file, bytes } };
  };
  return {
    entries: list.entries.map(withBytes),
    save: (entries) => {
      const all = [...entries];
      try {
        writeBytes(bytesIn, all);
      } catch (error) {
        log(`The sandbox cannot store uploaded files: ${String(error)}`);
      }
      list.save(all.map((entry) => ({ ...entry, file: { ...entry.file, bytes: undefined } })));
    },
  };
}

function readBytes(path: string): Buffer | undefined {
  return existsSync(path) ? readFileSync(path) : undefined;
}

/** Writes the missing files and removes those that are no longer in the list. */
function writeBytes(folder: string, all: readonly AddressedFile[]): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const expected = new Map(all.map(({ file }) => [file.sha256, file.bytes]));
  const present = new Set(readdirSync(folder));
  for (const name of present) if (!expected.get(name)) rmSync(join(folder, name));
  for (const [name, bytes] of expected) {
    if (bytes && !present.has(name)) writeFileSync(join(folder, name), bytes, { mode: 0o600 });
  }
}

function parseFile(value: unknown): AddressedFile {
  const entry = requireObject(value);
  const file = requireObject(entry['file']);
  const sha256 = requireText(file, 'sha256');
  // The hash becomes a file name, so it must not contain a path.
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error('A file has no hash.');
  return {
    address: requireText(entry, 'address'),
    once: optionalFlag(entry, 'once'),
    file: {
      name: requireText(file, 'name'),
      type: requireText(file, 'type'),
      size: requireNumber(file, 'size'),
      sha256,
      bytes: undefined,
    },
  };
}
