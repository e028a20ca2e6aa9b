import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Job } from '../transitions/job.ts';

/** Where the bytes of a video gather until it is whole. */
export function toPartialFilePath(dataDir: string, { id }: Pick<Job, 'id'>): string {
  return join(dataDir, 'videos', 'parts', `${id}.part`);
}

/** Deletes what a download that ended early has left. */
export async function removePartialFiles(dataDir: string, job: Pick<Job, 'id'>): Promise<void> {
  const part = toPartialFilePath(dataDir, job);
  const names = await readdir(dirname(part)).catch((): string[] => []);
  const own = names.filter((name) => name.startsWith(basename(part)));
  await Promise.all(own.map((name) => rm(join(dirname(part), name), { force: true })));
}
