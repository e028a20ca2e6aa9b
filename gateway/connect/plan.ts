import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { FileChange } from '../../shared/connect/connection.ts';
import { UserError } from '../errors.ts';
import {
  CONFIG_FORMATS,
  type ConfigField,
  ConfigFormatError,
  countMissingParents,
  type PathStep,
} from './edit/config-format.ts';
import { diffLines } from './diff-lines.ts';
import { assertPlainJson } from './edit/plain-json.ts';
import { hashValue } from './hash-value.ts';
import type { Journal, JournalEntry, JournalField, JournalFile } from './journal/journal.ts';
import type { ProgramFile } from './program.ts';
import { toBytes, toText } from './text.ts';
import { computeWithout, type FileWithout } from './undo-file.ts';
import { createFolders, hashBytes, readUserFile, writeAtomically } from './write-file.ts';

/** Permission bits of a new file, which holds a local key. */
const NEW_MODE = 0o600;

/** The change of one file: from `present` over `base`, its content without the connection, to `after`. `null`: no file. */
export interface PlannedFile {
  readonly program: ProgramFile;
  readonly target: string;
  readonly mode: number;
  readonly present: Buffer | null;
  readonly base: Buffer | null;
  readonly after: Buffer;
  readonly fields: readonly JournalField[];
  /** The file in the earlier connection. */
  readonly earlier: JournalFile | undefined;
}

/** The changes that a connection makes. */
export interface Plan {
  readonly files: readonly PlannedFile[];
  /** Files of the earlier connection that the new one does not change: they are put back. */
  readonly left: readonly { readonly file: JournalFile; readonly without: FileWithout }[];
}

/** Computes the changes of a connection; writes nothing. @throws UserError when a file cannot be read or changed */
export async function makePlan(
  journal: Journal,
  old: JournalEntry | null,
  programFiles: readonly ProgramFile[],
): Promise<Plan> {
  const files = await Promise.all(
    programFiles.map(async (file) => await planFile(journal, old, file)),
  );
  const paths = new Set(programFiles.map(({ path }) => path));
  const others = old?.files.filter(({ path }) => !paths.has(path)) ?? [];
  const left = await Promise.all(
    others.map(async (file) =>
      old === null ? [] : [{ file, without: await computeWithout(journal, old, file) }],
    ),
  );
  return { files, left: left.flat() };
}

async function planFile(
  journal: Journal,
  old: JournalEntry | null,
  file: ProgramFile,
): Promise<PlannedFile> {
  const earlier = old?.files.find(({ path }) => path === file.path);
  const { found, bytes: base } =
    old === null || earlier === undefined
      ? await readUntouched(file.path)
      : await computeWithout(journal, old, earlier);
  const text = base === null ? '' : toText(base, file.path);
  return {
    program: file,
    target: found.target,
    mode: found.mode ?? NEW_MODE,
    present: found.bytes,
    base,
    earlier,
    ...setFields(file, text, earlier),
  };
}

async function readUntouched(path: string): Promise<Pick<FileWithout, 'found' | 'bytes'>> {
  const found = await readUserFile(path);
  return { found, bytes: found.bytes };
}

function setFields(
  file: ProgramFile,
  text: string,
  earlier: JournalFile | undefined,
): Pick<PlannedFile, 'after' | 'fields'> {
  const format = CONFIG_FORMATS[file.format];
  try {
    if (file.plainJsonFor !== undefined) assertPlainJson(text, file.plainJsonFor);
    const companions = (file.companions ?? []).filter(
      ({ path }) => format.read(text, path) === undefined || isOurCompanion(earlier, path),
    );
    const toJournal = ({ path, value }: ConfigField, isCompanion: boolean) => {
      const previous = format.read(text, path);
      return {
        path: [...path],
        valueHashes: [hashValue(value), ...earlierHash(earlier, path)],
        ...(previous === undefined ? {} : { previous }),
        emptyParents: countMissingParents(format, text, path),
        isCompanion,
      };
    };
    const fields = [
      ...file.fields.map((field) => toJournal(field, false)),
      ...companions.map((field) => toJournal(field, true)),
    ];
    const missing = companions.filter(({ path }) => format.read(text, path) === undefined);
    return { fields, after: toBytes(format.set(text, [...missing, ...file.fields])) };
  } catch (error) {
    if (!(error instanceof ConfigFormatError)) throw error;
    const place = error.line === null ? '' : `, line ${error.line}, column ${error.column ?? 1}`;
    throw new UserError(
      `${file.path}${place}: ${error.message} Nothing was changed. Correct the file, then try again.`,
      null,
      { cause: error },
    );
  }
}

/** Returns the hash of the latest value that an earlier connection gave a field. */
function earlierHash(earlier: JournalFile | undefined, path: readonly PathStep[]): string[] {
  const field = earlier?.fields.find((one) => isDeepStrictEqual(one.path, path));
  return field?.valueHashes.slice(0, 1) ?? [];
}

/** Whether an earlier connection has set a companion, which stayed because others are beside it. */
function isOurCompanion(earlier: JournalFile | undefined, path: readonly PathStep[]): boolean {
  return (
    earlier?.fields.some((one) => one.isCompanion && isDeepStrictEqual(one.path, path)) ?? false
  );
}

/** Describes a plan for people. */
export function describePlan({ files, left }: Plan): FileChange[] {
  return [
    ...files.map(({ program, present, after }) => describeChange(program.path, present, after)),
    ...left.map(({ file, without }) =>
      describeChange(file.path, without.found.bytes, without.bytes),
    ),
  ];
}

/** Describes the change of one file for people; `null`: there is no file. */
export function describeChange(
  path: string,
  before: Buffer | null,
  after: Buffer | null,
): FileChange {
  const isSame = before === null ? after === null : after !== null && before.equals(after);
  if (isSame) return { path, change: 'none', lines: [] };
  const change = before === null ? 'create' : after === null ? 'delete' : 'edit';
  const lines = diffLines(before?.toString('utf8') ?? '', after?.toString('utf8') ?? '');
  return { path, change, lines };
}

/** Returns a text that stands for a plan and its client (`describeJoined`): another state of the files, another change or another client gives another one. */
export function toToken({ files, left }: Plan, joined: string): string {
  const parts = [
    joined,
    ...files.flatMap(({ target, present, base, after }) => [
      target,
      hashOf(present),
      hashOf(base),
      hashOf(after),
    ]),
    ...left.flatMap(({ without: { found, bytes } }) => [
      found.target,
      hashOf(found.bytes),
      hashOf(bytes),
    ]),
  ];
  return hashBytes(Buffer.from(JSON.stringify(parts)));
}

/** Whether two plans begin with the same contents. */
export function isSameStart(one: Plan, other: Plan): boolean {
  const stateOf = ({ files }: Plan) => files.map(({ present }) => hashOf(present)).join();
  return stateOf(one) === stateOf(other);
}

/** Returns a text that stands for the undoing of files as they are. */
export function toUndoToken(
  files: readonly { readonly file: JournalFile; readonly without: FileWithout }[],
): string {
  const parts = files.flatMap(({ file, without: { found, bytes, result } }) => [
    file.path,
    hashOf(found.bytes),
    hashOf(bytes),
    result,
  ]);
  return hashBytes(Buffer.from(JSON.stringify(parts)));
}

/** Returns what the journal keeps of a planned file, and the copy of its content before. */
export function toJournalFile(
  file: PlannedFile,
  createdFolders: readonly string[],
): { readonly entry: JournalFile; readonly copy: readonly [string, Buffer] | null } {
  const { program, target, present, base, after, fields, earlier } = file;
  const before = base === null ? null : hashBytes(base);
  const written = present === null ? null : hashBytes(present);
  const isOurs = written !== null && earlier?.after.includes(written) === true;
  const copy = before === null || base === null ? null : ([`before-${before}`, base] as const);
  const entry = {
    path: program.path,
    target,
    format: program.format,
    before,
    after: [...new Set([hashBytes(after), ...(isOurs ? [written] : [])])],
    copy: copy?.[0] ?? null,
    createdFolders: [...createdFolders],
    fields: [...fields],
  };
  return { entry, copy };
}

/** Puts a planned file back to what it was, if it was written. Returns whether it is so. Never rejects. */
export async function takeBack({ target, present, after, mode }: PlannedFile): Promise<boolean> {
  try {
    const now = (await readUserFile(target)).bytes;
    if (now === null || present === null ? now === present : now.equals(present)) return true;
    if (now === null || !now.equals(after)) return false;
    if (present === null) await rm(target);
    else await writeAtomically(target, present, { mode, expected: after });
    return true;
  } catch {
    return false;
  }
}

/** Creates the folders of a planned file. Returns those that did not exist, outermost first. */
export async function prepareFolder({ target }: PlannedFile): Promise<string[]> {
  return await createFolders(dirname(target));
}

/** Writes a planned file, if it is still as it was when the plan was made. @throws UserError otherwise */
export async function writePlanned({ target, present, after, mode }: PlannedFile): Promise<void> {
  if (present !== null && present.equals(after)) return;
  await writeAtomically(target, after, { mode, expected: present });
}

function hashOf(bytes: Buffer | null): string {
  return bytes === null ? '' : hashBytes(bytes);
}
