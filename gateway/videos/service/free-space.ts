import { statfs } from 'node:fs/promises';
import { DiskError, withFolder } from '../../lib/disk.ts';

/** @throws DiskError when so many more bytes would leave less than `spare` bytes free */
export async function ensureFreeSpace(folder: string, more: number, spare: number): Promise<void> {
  const { bavail, bsize } = await withFolder(folder, async () => await statfs(folder));
  const free = bavail * bsize;
  if (free >= more + spare) return;
  throw new DiskError(
    `The disk of the folder ${folder} has ${formatMebibytes(free)} left. The video needs ${formatMebibytes(more)}, and ` +
      `${formatMebibytes(spare)} must stay free for everything else. Free ${formatMebibytes(more + spare - free)}.`,
  );
}

function formatMebibytes(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)} MiB`;
}
