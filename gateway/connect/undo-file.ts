import { isDeepStrictEqual } from 'node:util';
import { rm, rmdir } from 'node:fs/promises';
import type { UndoneFile } from '../../shared/connect/connection.ts';
import { UserError } from '../errors.ts';
import {
  CONFIG_FORMATS,
  type ConfigField,
  ConfigFormatError,
  type ConfigValue,
  type PathStep,
  type RemovedField,
} from './edit/config-format.ts';
import type { Journal, JournalEntry, JournalFile } from './journal/journal.ts';
import { hashValue } from './hash-value.ts';
import { toBytes, toText } from './text.ts';
import {
  ChangedError,
  type FoundFile,
  hashBytes,
  readUserFile,
  writeAtomically,
} from './write-file.ts';

/** A file of a connection and the content that it has without the connection. */
export interface FileWithout {
  readonly found: FoundFile;
  /** `null`: there is no file then. */
  readonly bytes: Buffer | null;
  readonly result: UndoneFile['result'];
  /** The fields that hold other values than ours. */
  readonly left: readonly string[];
}

/**
 * Computes the content of a file without its connection; writes nothing. Unchanged since, it is the content from before, byte for byte.
 * Otherwise our fields are taken out where they still hold our values.
 */
export async function computeWithout(
  journal: Journal,
  entry: JournalEntry,
  file: JournalFile,
): Promise<FileWithout> {
  const found = await readUserFile(file.path).catch((error: unknown) => {
    if (error instanceof UserError) return error;
    throw error;
  });
  if (found instanceof UserError) {
    const nothing = { target: file.target, bytes: null, mode: null };
    return { found: nothing, bytes: null, result: 'unreadable', left: [found.message] };
  }
  const { bytes } = found;
  if (bytes === null) return { found, bytes: null, result: 'gone', left: [] };
  const now = hashBytes(bytes);
  if (now === file.before) return { found, bytes, result: 'restored', left: [] };
  const before = file.after.includes(now) ? await journal.readCopy(entry, file) : undefined;
  if (before !== undefined) {
    return { found, bytes: before, result: before === null ? 'deleted' : 'restored', left: [] };
  }
  try {
    return { found, ...takeOut(file, bytes) };
  } catch (error) {
    if (!(error instanceof ConfigFormatError) && !(error instanceof UserError)) throw error;
    return { found, bytes, result: 'unreadable', left: [error.message] };
  }
}

/** Writes the content of a file without its connection, if it is still as it was read. @throws UserError otherwise */
export async function putBack(
  file: JournalFile,
  { found, bytes, result }: FileWithout,
): Promise<void> {
  if (result === 'unreadable' || result === 'gone') return;
  const { target, bytes: present, mode } = found;
  if (bytes === null) {
    const now = (await readUserFile(target)).bytes;
    if (now === null || present === null || !now.equals(present)) throw new ChangedError(target);
    await rm(target);
    for (const folder of file.createdFolders.toReversed()) {
      await rmdir(folder).catch(() => undefined);
    }
    return;
  }
  if (present !== null && present.equals(bytes)) return;
  await writeAtomically(target, bytes, { mode: mode ?? 0o600, expected: present });
}

function takeOut(file: JournalFile, bytes: Buffer): Omit<FileWithout, 'found'> {
  const format = CONFIG_FORMATS[file.format];
  const text = toText(bytes, file.path);
  const put: ConfigField[] = [];
  const removed: RemovedField[] = [];
  const left: string[] = [];
  const fields = file.fields.filter(({ isCompanion }) => !isCompanion);
  for (const { path, valueHashes, previous, emptyParents } of fields) {
    const value = format.read(text, path);
    if (value === undefined) continue;
    if (!valueHashes.includes(hashValue(value))) left.push(describePath(path));
    else if (previous === undefined) removed.push({ path, emptyParents });
    else put.push({ path, value: previous });
  }
  const without = takeCompanions(file, format.remove(format.set(text, put), removed));
  // A file that was made for the connection goes with the last field.
  if (file.before === null && isEmpty(without)) return { bytes: null, result: 'deleted', left };
  return { bytes: toBytes(without), result: 'edited', left };
}

/** Takes out the companions of objects that have nothing else. */
function takeCompanions(file: JournalFile, text: string): string {
  const format = CONFIG_FORMATS[file.format];
  const companions = file.fields.filter(({ isCompanion }) => isCompanion);
  const alone = companions.filter(({ path }) => {
    const parent = path.slice(0, -1);
    const beside = companions.filter((one) => isDeepStrictEqual(one.path.slice(0, -1), parent));
    const names = new Set(beside.map((one) => one.path.at(-1)));
    const members = format.read(text, parent);
    return isRecord(members) && Object.keys(members).every((name) => names.has(name));
  });
  return format.remove(text, alone);
}

function isRecord(value: ConfigValue | undefined): value is Readonly<Record<string, ConfigValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(text: string): boolean {
  const content = text.replace('\uFEFF', '').trim();
  return content === '' || /^(?:\{\s*\}|\[\s*\])$/u.test(content);
}

/** Describes a path for people, such as `provider.gatehouse` or `models[name=Gatehouse]`. */
function describePath(path: readonly PathStep[]): string {
  return path
    .map((step) => (typeof step === 'string' ? `.${step}` : `[${step.where}=${step.is}]`))
    .join('')
    .replace(/^\./u, '');
}
