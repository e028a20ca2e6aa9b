import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Job } from '../transitions/job.ts';

/** Returns the path of a video while it is downloaded. */
export function toPartialFilePath(dataDir: string, { id }: Pick<Job, 'id'>): string {
  return join(dataDir, 'videos', 'parts', `${id}.part`);
}

/** Deletes the partial files of a job. */
export async function removePartialFiles(dataDir: string, job: Pick<Job, 'id'>): Promise<void> {
  const part = toPartialFilePath(dataDir, job);
  const names = await readdir(dirname(part)).catch((): string[] => []);
  const partNames = names.filter((name) => name.startsWith(basename(part)));
  await Promise.all(partNames.map((name) => rm(join(dirname(part), name), { force: true })));
}
