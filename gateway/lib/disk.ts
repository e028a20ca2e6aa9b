import { statfsSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A file on this disk. */
export interface DiskFile {
  readonly path: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
}

/** A disk operation failed. The message is for people: which folder, what is wrong, what to do. */
export class DiskError extends Error {
  override readonly name = 'DiskError';
}

/**
 * A disk with less free space counts as full: SQLite needs 32 KiB for the shared memory of processes, and each write needs
 * some pages of 4 KiB in the log and later in the database.
 */
const FULL_BELOW_BYTES = 256 * 1024;

/**
 * Returns the bytes that can still be written to the disk of this folder; 0 also when it accepts no more files.
 * @throws the system's error
 */
export function freeBytes(folder: string): number {
  const { bavail, bsize, files, ffree } = statfsSync(folder);
  return files > 0 && ffree === 0 ? 0 : bavail * bsize;
}

/** Returns whether the disk of this folder is full, as far as the system reports it. */
export function isFull(folder: string): boolean {
  try {
    return freeBytes(folder) < FULL_BELOW_BYTES;
  } catch {
    // A missing folder is reported elsewhere.
    return false;
  }
}

/**
 * Runs work in this folder, which is created when absent. Throws DiskError instead of the system's error, ending with
 * `advice`.
 */
export async function withFolder<Value>(
  folder: string,
  work: () => Promise<Value>,
  advice: string = '',
): Promise<Value> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return await work();
  } catch (error) {
    throw toDiskError(error, folder, advice);
  }
}

/** Converts the system's error about this folder to a DiskError that ends with `advice`; returns any other error unchanged. */
export function toDiskError(error: unknown, folder: string, advice: string = ''): unknown {
  const code = systemCode(error);
  return code === null
    ? error
    : new DiskError(describeDiskError(code, folder) + advice, { cause: error });
}

/**
 * Flushes the folder, so that its name and the names in it survive a power cut. Does nothing on Windows, which cannot open
 * folders.
 */
export async function fsyncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  for (const one of [folder, dirname(folder)]) {
    await using opened = await open(one, 'r');
    await opened.sync();
  }
}

/** Returns the code of a file system error; `null` for any other. */
export function systemCode(error: unknown): string | null {
  const isSystem = error instanceof Error && 'syscall' in error && 'code' in error;
  return isSystem && typeof error.code === 'string' ? error.code : null;
}

function describeDiskError(code: string, folder: string): string {
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return `The disk of the folder ${folder} is full. Free some space there.`;
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `Gatehouse may not write to the folder ${folder} (${code}). Allow it.`;
    case 'ENOTDIR':
    case 'EEXIST':
      return `${folder} is not a folder, or is inside something that is not a folder. Move that away.`;
    case 'ENOENT':
      return `The folder ${folder} is gone. It is created again at the next attempt; if it is on a removed disk, reconnect that disk.`;
    default:
      return `The folder ${folder} cannot be used (${code}). Check its disk.`;
  }
}
