import { hash, randomBytes } from 'node:crypto';
import {
  chown,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fsyncFolder, systemCode } from '../lib/disk.ts';
import { UserError } from '../errors.ts';

/** Files of settings are small; a larger one is something else. */
const MAX_BYTES = 1024 * 1024;

/** A file of a person as it was read. */
export interface FoundFile {
  /** The file itself, behind all links. */
  readonly target: string;
  /** `null` when there is no file. */
  readonly bytes: Buffer | null;
  /** Permission bits; `null` when there is no file. */
  readonly mode: number | null;
}

/** Returns the SHA-256 of a content in hexadecimal digits. */
export function hashBytes(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/** Reads a file, through links. @throws UserError when it is no ordinary file, too large, or cannot be read */
export async function readUserFile(path: string): Promise<FoundFile> {
  const target = await resolveTarget(path);
  try {
    const found = await stat(target);
    if (!found.isFile()) throw new UserError(`${path} is not an ordinary file.`);
    if (found.size > MAX_BYTES)
      throw new UserError(`${path} is larger than 1 MB, so these are no settings.`);
    return { target, bytes: await readFile(target), mode: found.mode & 0o7777 };
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return { target, bytes: null, mode: null };
    if (code === null) throw error;
    throw new UserError(`${path} cannot be read: ${describe(error)}`, null, { cause: error });
  }
}

/** Follows the links of a path; the last parts of it need not exist. */
async function resolveTarget(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (systemCode(error) === 'ELOOP') {
      throw new UserError(`${path} is a link that leads to itself.`, null, { cause: error });
    }
    const folder = dirname(path);
    if (systemCode(error) !== 'ENOENT' || folder === path) return path;
    return join(await resolveTarget(folder), basename(path));
  }
}

interface WriteOptions {
  /** Permission bits. */
  readonly mode: number;
  /** The content that the file must still have; `null`: it must not exist. Absent: it may be anything. */
  readonly expected?: Buffer | null;
}

/**
 * Writes a file as a whole: it has the old or the new content at any time, also when the machine stops. Keeps its owner.
 * @throws UserError when it cannot be written, or no longer has the expected content
 */
export async function writeAtomically(
  target: string,
  bytes: Uint8Array,
  { mode, expected }: WriteOptions,
): Promise<void> {
  const part = join(
    dirname(target),
    `${toPartPrefix(target)}${randomBytes(6).toString('hex')}${PART_END}`,
  );
  try {
    await removeOldParts(target);
    const file = await open(part, 'wx', mode);
    try {
      await file.chmod(mode);
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await keepOwner(target, part);
    if (expected === null) await linkNew(part, target);
    else {
      if (expected !== undefined) await requireContent(target, expected);
      await rename(part, target);
    }
    await fsyncFolder(dirname(target));
  } catch (error) {
    if (systemCode(error) === null) throw error;
    throw new UserError(`${target} cannot be written: ${describe(error)}`, null, { cause: error });
  } finally {
    await rm(part, { force: true });
  }
}

const PART_END = '.part';

function toPartPrefix(target: string): string {
  return `.${basename(target)}.gatehouse-`;
}

/** Removes the temporary files of processes that were killed while they wrote. Callers hold the lock, so nobody writes one now. */
async function removeOldParts(target: string): Promise<void> {
  const names = await readdir(dirname(target));
  const prefix = toPartPrefix(target);
  const old = names.filter((name) => name.startsWith(prefix) && name.endsWith(PART_END));
  await Promise.all(old.map((name) => rm(join(dirname(target), name), { force: true })));
}

/** Root may write files of others, whose files they stay. */
async function keepOwner(target: string, part: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const old = await stat(target).catch(() => null);
  if (old !== null) await chown(part, old.uid, old.gid);
}

/** Gives a new file its name, unless another program has created it meanwhile. */
async function linkNew(part: string, target: string): Promise<void> {
  try {
    await link(part, target);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw new ChangedError(target);
    // Some file systems have no links.
    await requireContent(target, null);
    await rename(part, target);
  }
}

async function requireContent(target: string, expected: Buffer | null): Promise<void> {
  const present = await readFile(target).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  });
  const isSame =
    present === null || expected === null ? present === expected : present.equals(expected);
  if (!isSame) throw new ChangedError(target);
}

/** Thrown when a file was changed between reading and writing. */
export class ChangedError extends UserError {
  constructor(path: string) {
    super(`${path} was changed meanwhile. Look at the change again.`);
  }
}

/** Creates the folders of a path that do not exist. Returns those, outermost first. */
export async function createFolders(folder: string): Promise<string[]> {
  const missing: string[] = [];
  let at = folder;
  while ((await stat(at).catch(() => null)) === null && dirname(at) !== at) {
    missing.unshift(at);
    at = dirname(at);
  }
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new UserError(`The folder ${folder} cannot be created: ${describe(error)}`, null, {
      cause: error,
    });
  }
  return missing;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : 'no reason given';
}
