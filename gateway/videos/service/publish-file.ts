import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { copyFile, link, lstat, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DiskError, withFolder, fsyncFolder, systemCode } from '../../lib/disk.ts';
import { ensureFreeSpace } from './free-space.ts';

/** A complete file on the disk. */
export interface CompleteFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The target folder, and a `name` without extension. */
export interface PublishTarget {
  readonly folder: string;
  readonly name: string;
  readonly ending: string;
  readonly spareBytes: number;
}

const MAX_NAMES = 1000;
/** Errors of file systems without hard links. */
const NO_HARD_LINKS: ReadonlySet<string | null> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EINVAL',
  'EISDIR',
]);

/**
 * Gives a file its name in its folder, durably, and returns its path. Another file is never replaced; a number is added to the name then.
 * A file with that name and the same bytes counts as an earlier attempt. The source file may still exist afterwards.
 * @throws DiskError
 */
export async function publishFile(file: CompleteFile, to: PublishTarget): Promise<string> {
  const name = async () => {
    const path = (await claimName(file, to)) ?? (await publishCopy(file, to));
    await fsyncFolder(to.folder);
    return path;
  };
  return await withFolder(to.folder, name, ' You can also choose another folder in Settings.');
}

async function publishCopy(file: CompleteFile, to: PublishTarget): Promise<string> {
  const copy = await copyToFolder(file, to);
  const path = await claimName(copy, to);
  await rm(copy.path, { force: true });
  if (path === null) throw new DiskError(`The folder ${to.folder} is on two disks.`);
  return path;
}

/** Copies to another disk under a temporary name, so that nobody finds half a video. */
async function copyToFolder(
  file: CompleteFile,
  { folder, name, spareBytes }: PublishTarget,
): Promise<CompleteFile> {
  const path = join(folder, `.${name}.part`);
  await rm(path, { force: true });
  await ensureFreeSpace(folder, file.bytes, spareBytes);
  try {
    await copyFile(file.path, path, constants.COPYFILE_EXCL);
    await using copy = await open(path, 'r+');
    await copy.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  return { ...file, path };
}

/** Links the file; `null` when it is on another disk than the folder. */
async function claimName(
  source: CompleteFile,
  { folder, name, ending }: PublishTarget,
): Promise<string | null> {
  for (let number = 1; number <= MAX_NAMES; number += 1) {
    const path = join(folder, `${name}${number === 1 ? '' : ` (${number})`}.${ending}`);
    const outcome = await claim(source.path, path);
    if (outcome === 'elsewhere') return null;
    if (outcome === 'named' || (await isSame(source, path))) return path;
  }
  throw new DiskError(
    `The folder ${folder} has ${MAX_NAMES} files named "${name}". Move some of them away.`,
  );
}

/** Tries one name. `taken`: the name exists. `elsewhere`: the file is on another disk. */
type Claim = 'named' | 'taken' | 'elsewhere';

async function claim(source: string, path: string): Promise<Claim> {
  try {
    await link(source, path);
    return 'named';
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EEXIST') return 'taken';
    if (code === 'EXDEV') return 'elsewhere';
    if (!NO_HARD_LINKS.has(code)) throw error;
  }
  return await claimByRename(source, path);
}

/** Reserves a name with an empty file, which the complete one replaces. */
async function claimByRename(source: string, path: string): Promise<Claim> {
  try {
    await (await open(path, 'wx')).close();
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return 'taken';
    throw error;
  }
  try {
    await rename(source, path);
    return 'named';
  } catch (error) {
    await rm(path, { force: true });
    if (systemCode(error) === 'EXDEV') return 'elsewhere';
    throw error;
  }
}

async function isSame(source: CompleteFile, path: string): Promise<boolean> {
  const found = await lstat(path);
  if (!found.isFile() || found.size !== source.bytes) return false;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex') === source.sha256;
}
