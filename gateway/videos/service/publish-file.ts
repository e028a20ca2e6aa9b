import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { copyFile, link, lstat, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DiskError, withFolder, fsyncFolder, systemCode } from '../../lib/disk.ts';
import { ensureFreeSpace } from './free-space.ts';

/** A file that is whole and on disk. */
export interface CompleteFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Where it goes: `name` without the dot and the ending. */
export interface PublishTarget {
  readonly folder: string;
  readonly name: string;
  readonly ending: string;
  readonly spareBytes: number;
}

const MAX_NAMES = 1000;
/** What a file system says that knows no hard links. */
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
 * Gives the file a name in its folder, so that it survives a power cut, and returns its path. Another file is never replaced: a
 * number is added to the name then. A file of that name with the very same bytes is taken for an earlier try. The first file may
 * still lie where it was. Throws DiskProblem.
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
  if (path === null) throw new DiskError(`The folder ${to.folder} lies on two disks.`);
  return path;
}

/** To a file beside the last one, so that nobody finds half a video under its name. */
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

/** `null` when the file lies on another disk than the folder. */
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

/** `taken`: there is something of that name. `elsewhere`: the file lies on another disk. */
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

/** An empty file holds the name until the whole one replaces it. */
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
  for await (const piece of createReadStream(path)) hash.update(piece);
  return hash.digest('hex') === source.sha256;
}
