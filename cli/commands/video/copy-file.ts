import { constants } from 'node:fs';
import { copyFile, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { VideoFile } from '../../../shared/video/video.ts';
import { CommandError, UsageError } from '../../errors.ts';
import {
  fileExistsError,
  hasCode,
  partPath,
  publishFile,
  requireNewFile,
} from '../../output/publish-file.ts';

/** The target of copies of finished videos. */
export interface CopyPlan {
  /** The absolute path of a folder, or of the file itself. */
  readonly to: string;
  readonly isFolder: boolean;
  /** Whether a file of that name may be overwritten. */
  readonly force: boolean;
}

export interface CopyFlags {
  readonly out?: string;
  readonly force?: boolean;
}

/**
 * Parses the target of copies and checks that it is writable, before anything is charged. `null`: no copy is requested. @throws
 * CommandError, UsageError
 */
export async function planCopy(flags: CopyFlags, videos: number): Promise<CopyPlan | null> {
  const { out, force = false } = flags;
  if (out === undefined) {
    if (force) throw new UsageError('--force requires --out.');
    return null;
  }
  const to = resolve(out);
  const there = await stat(to).catch(() => null);
  if (there?.isDirectory() === true) return { to, isFolder: true, force };
  if (videos > 1) {
    throw new UsageError('--out must be an existing folder when several videos are ordered.');
  }
  await requireNewFile(to, force);
  return { to, isFolder: false, force };
}

/** Copies a finished video and returns the path of the copy, which is complete at every moment. @throws CommandError */
export async function copyVideo(video: VideoFile, plan: CopyPlan): Promise<string> {
  const target = plan.isFolder ? join(plan.to, video.name) : plan.to;
  if (target === video.path) return target;
  const part = partPath(target);
  try {
    await copyFile(video.path, part, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await publishFile(part, target, plan.force);
  } catch (error) {
    const here = `The video itself is here:\n  ${video.path}`;
    if (hasCode(error, ['EEXIST'])) throw fileExistsError(target, `\n${here}`);
    const reason = error instanceof Error ? error.message : 'no reason given';
    throw new CommandError(`It could not be copied: ${reason}\n${here}`, { cause: error });
  } finally {
    await rm(part, { force: true });
  }
  return target;
}
