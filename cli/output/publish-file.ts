import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CommandError } from '../errors.ts';

/** Checks that a file can be created, before any work is done for it. @throws CommandError */
export async function requireNewFile(target: string, force: boolean): Promise<void> {
  const found = await stat(target).catch(() => null);
  if (found?.isDirectory() === true) {
    throw new CommandError(`${target} is a folder. Give the name of a file to --out.`);
  }
  if (found !== null && !force) throw fileExistsError(target);
  const folder = dirname(target);
  if ((await stat(folder).catch(() => null))?.isDirectory() !== true) {
    throw new CommandError(
      `The folder ${folder} does not exist. Create it, or give another --out.`,
    );
  }
}

/**
 * Writes chunks to a file, which appears when it is complete. It is readable by its owner only. @throws CommandError when it exists and
 * is not to be replaced, or cannot be written
 */
export async function writeWholeFile(
  target: string,
  force: boolean,
  chunks: AsyncIterable<string>,
): Promise<void> {
  const part = partPath(target);
  try {
    const file = await open(part, 'wx', 0o600);
    try {
      for await (const chunk of chunks) await file.appendFile(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
    await publishFile(part, target, force);
  } catch (error) {
    if (hasCode(error, ['EEXIST'])) throw fileExistsError(target);
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    throw new CommandError(`${target} could not be written: ${error.message}`, { cause: error });
  } finally {
    await rm(part, { force: true });
  }
}

/** Returns the path of a temporary file beside the target. */
export function partPath(target: string): string {
  return join(dirname(target), `.${basename(target)}.${randomBytes(4).toString('hex')}.part`);
}

/** Gives a complete file its name. Without `force` it never replaces a file, not even one that was created a moment ago. */
export async function publishFile(part: string, target: string, force: boolean): Promise<void> {
  if (force) {
    await rename(part, target);
    return;
  }
  try {
    await link(part, target);
  } catch (error) {
    // Some file systems have no hard links.
    if (!hasCode(error, ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])) throw error;
    await copyFile(part, target, constants.COPYFILE_EXCL);
  }
}

/** Creates the error about a file that exists. `more` follows its sentences. */
export function fileExistsError(path: string, more = ''): CommandError {
  return new CommandError(
    `${path} already exists and was not changed. Give another --out, or --force to replace it.${more}`,
  );
}

/** Whether an error of the system has one of these codes. */
export function hasCode(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
