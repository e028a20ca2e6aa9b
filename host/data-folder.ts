import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { UserError } from '../gateway/errors.ts';

/** Returns the default data folder of this system. */
export function defaultDataDir(
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
  home: string,
): string {
  if (platform === 'darwin') {
    return join(home, 'Library', 'Application Support', 'Gatehouse');
  }
  if (platform === 'win32') {
    return join(environment['APPDATA'] ?? join(home, 'AppData', 'Roaming'), 'Gatehouse');
  }
  // The XDG Base Directory Specification says to ignore a relative path.
  const data = environment['XDG_DATA_HOME'];
  return join(data?.startsWith('/') === true ? data : join(home, '.local', 'share'), 'gatehouse');
}

/** Finds the data folder: the flag, then GATEHOUSE_DATA_DIR, then the system's default. */
export function findDataDir(flag: string | undefined, environment: NodeJS.ProcessEnv): string {
  const named = flag ?? environment['GATEHOUSE_DATA_DIR'];
  return resolve(
    named === undefined || named === ''
      ? defaultDataDir(environment, process.platform, homedir())
      : named,
  );
}

/**
 * Finds the data folder, as {@link findDataDir}. A missing one is created, for its owner only.
 * @throws UserError when it cannot be used.
 */
export async function prepareDataDir(
  flag: string | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const folder = findDataDir(flag, environment);
  try {
    await createFolder(folder);
    if (!(await stat(folder)).isDirectory()) {
      throw new UserError(`The data folder ${folder} is not a folder.`);
    }
    await restrictToOwner(folder);
  } catch (error) {
    if (error instanceof UserError) {
      throw error;
    }
    throw new UserError(
      `The data folder ${folder} cannot be used: ${describeFileError(error)}`,
      null,
      {
        cause: error,
      },
    );
  }
  return folder;
}

/**
 * Creates a folder and its missing parents. Does not use the `recursive` option of `mkdir`: in /proc, where an existing folder is
 * reported as missing, Node 24 retries forever.
 */
async function createFolder(folder: string): Promise<void> {
  const parent = dirname(folder);
  if (!existsSync(parent) && parent !== folder) await createFolder(parent);
  if (!existsSync(folder)) await mkdir(folder, { mode: 0o700 }).catch(ignoreExisting);
}

/** Creates one folder. Another process may have created it in the meantime. */
function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

/** Explains the usual errors; an unusual one keeps the system's message. */
function describeFileError(error: unknown): string {
  if (!(error instanceof Error)) {
    return 'no reason is given.';
  }
  switch ('code' in error ? error.code : undefined) {
    case 'EACCES':
    case 'EPERM':
      return 'this user may not write there.';
    case 'EROFS':
      return 'its disk is read-only.';
    case 'ENOSPC':
      return 'its disk is full.';
    case 'ENOTDIR':
    case 'EEXIST':
      return 'there is a file in its way.';
    case 'ENOENT':
      return 'no folder can be made there.';
    default:
      return error.message;
  }
}

/**
 * A folder that already contains other files was chosen by a person, so its permissions are not changed; our own files in it are private
 * anyway.
 */
async function restrictToOwner(folder: string): Promise<void> {
  const { mode } = await stat(folder);
  const open = process.platform !== 'win32' && (mode & 0o077) !== 0;
  if (open && (await readdir(folder)).length === 0) {
    await chmod(folder, 0o700);
  }
}
