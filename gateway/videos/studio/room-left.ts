import { statfs } from 'node:fs/promises';
import { DiskProblem, inFolder } from '../../disk.ts';

/** Throws DiskProblem when so many more bytes would leave less than `spare` free. */
export async function checkRoom(folder: string, more: number, spare: number): Promise<void> {
  const { bavail, bsize } = await inFolder(folder, async () => await statfs(folder));
  const free = bavail * bsize;
  if (free >= more + spare) return;
  throw new DiskProblem(
    `The disk of the folder ${folder} has ${inMebibytes(free)} left. The video needs ${inMebibytes(more)}, and ` +
      `${inMebibytes(spare)} stay free for everything else. Make room for ${inMebibytes(more + spare - free)}.`,
  );
}

function inMebibytes(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)} MiB`;
}
