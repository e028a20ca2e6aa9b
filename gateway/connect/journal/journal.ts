import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ClientId } from '../../../shared/client.ts';
import { ProgramId } from '../../../shared/connect/connection.ts';
import { systemCode } from '../../lib/disk.ts';
import { UserError } from '../../errors.ts';
import type { ConfigValue } from '../edit/config-format.ts';
import { hashBytes, writeAtomically } from '../write-file.ts';

const Value: z.ZodType<ConfigValue> = z.json();
const Step = z.union([z.string(), z.object({ where: z.string(), is: z.string() })]);

/** A field that was set. Our values are kept as hashes only, because one may be the local key. */
const JournalField = z.object({
  path: z.array(Step),
  /** Our value, and that of the connection before it, which the file holds until it is written. */
  valueHashes: z.array(z.string()),
  /** The value that it had before; absent when it had none. */
  previous: Value.optional(),
  /** How many of the members around it did not exist before. */
  emptyParents: z.number().int().min(0),
  /** Whether it goes only with the last other member of its object. */
  isCompanion: z.boolean().default(false),
});
export type JournalField = z.infer<typeof JournalField>;

const JournalFile = z.object({
  /** The path that the program uses. */
  path: z.string(),
  /** The file behind it: another one where the path leads through a link. */
  target: z.string(),
  format: z.enum(['json', 'toml', 'yaml', 'env']),
  /** SHA-256 of the content before; `null` where there was no file. */
  before: z.string().nullable(),
  /** SHA-256 of the content after, and of that which an earlier connection had written. */
  after: z.array(z.string()),
  /** Name of the copy of the content before, in the folder of the connection; `null` where there was no file. */
  copy: z.string().nullable(),
  /** Folders that were created for it, outermost first. */
  createdFolders: z.array(z.string()),
  fields: z.array(JournalField),
});
export type JournalFile = z.infer<typeof JournalFile>;

const JournalEntry = z.object({
  /** 1 in connections of earlier versions, which have no hash of their key; those versions do not read 2, and so end no other key. */
  version: z.literal([1, 2]),
  program: ProgramId,
  client: z.object({ id: ClientId, name: z.string() }),
  /** Hash of its local key (`toKeyHash`); absent in version 1, whose key is the client's own. */
  keyHash: z.string().optional(),
  /** Unix time in milliseconds. */
  at: z.number().int(),
  model: z.string(),
  /** The local address without a path. */
  address: z.string(),
  /** The folder of the project whose settings were changed; absent for those of the user, and in connections of earlier versions. */
  project: z.string().optional(),
  files: z.array(JournalFile),
});
/** A connection as it was made: everything that is needed to undo it. */
export type JournalEntry = z.infer<typeof JournalEntry>;

const ENTRY = 'connection.json';

/** The connections that were made, each in a folder of its own below the data folder. Callers hold the lock of the connections. */
export class Journal {
  readonly #folder: string;

  constructor(dataDir: string) {
    this.#folder = join(dataDir, 'connections');
  }

  /** The folder that holds the connections. */
  get folder(): string {
    return this.#folder;
  }

  /** Returns the connection of a program; `null` when there is none. @throws UserError when it cannot be read */
  async read(program: ProgramId): Promise<JournalEntry | null> {
    const file = join(this.#folder, program, ENTRY);
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if (systemCode(error) === 'ENOENT') return null;
      throw error;
    });
    if (text === null) return null;
    const parsed = JournalEntry.safeParse(parseText(text));
    if (parsed.success) return parsed.data;
    throw new UserError(
      `${file} cannot be read, so the connection of ${program} cannot be undone by itself. The files as they were before lie beside it.`,
    );
  }

  /** Whether there is a connection that cannot be read. */
  async isDamaged(): Promise<boolean> {
    const names = await readdir(this.#folder).catch(() => []);
    return (
      (await this.list()).length < names.filter((name) => ProgramId.safeParse(name).success).length
    );
  }

  /** Returns all connections; those that cannot be read are left out. */
  async list(): Promise<readonly JournalEntry[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const programs = names.flatMap((name) => ProgramId.safeParse(name).data ?? []);
    const found = await Promise.all(
      programs.map((program) => this.read(program).catch(() => null)),
    );
    return found.filter((entry) => entry !== null);
  }

  /**
   * Saves a connection before its files are written, with copies of their contents by their names. It replaces an earlier one of the
   * program at once: a process that ends in between leaves the old or the new one.
   */
  async write(entry: JournalEntry, copies: ReadonlyMap<string, Uint8Array>): Promise<void> {
    const folder = join(this.#folder, entry.program);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const [name, bytes] of copies) {
      await writeFile(join(folder, name), bytes, { mode: 0o600, flush: true });
    }
    const text = JSON.stringify(entry, null, 2);
    await writeAtomically(join(folder, ENTRY), Buffer.from(text), { mode: 0o600 });
    const kept = new Set([ENTRY, ...entry.files.flatMap(({ copy }) => copy ?? [])]);
    const names = await readdir(folder);
    await Promise.all(
      names.filter((name) => !kept.has(name)).map((name) => rm(join(folder, name))),
    );
  }

  /** Returns the content that a file had before the connection: `null` for no file; `undefined` when its copy is gone or was changed. */
  async readCopy({ program }: JournalEntry, file: JournalFile): Promise<Buffer | null | undefined> {
    if (file.copy === null) return null;
    const bytes = await readFile(join(this.#folder, program, file.copy)).catch(() => undefined);
    return bytes !== undefined && hashBytes(bytes) === file.before ? bytes : undefined;
  }

  /** Returns the contents of the copies of a connection by their names. */
  async readCopies(entry: JournalEntry): Promise<ReadonlyMap<string, Buffer>> {
    const copies = new Map<string, Buffer>();
    for (const file of entry.files) {
      const bytes = await this.readCopy(entry, file);
      if (file.copy !== null && bytes != null) copies.set(file.copy, bytes);
    }
    return copies;
  }

  /** Forgets the connection of a program. */
  async remove(program: ProgramId): Promise<void> {
    await rm(join(this.#folder, program), { recursive: true, force: true });
  }
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
