import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { assert, test as base } from 'vitest';
import { z } from 'zod';
import { VideoJob } from '../../../shared/video/video.ts';
import { openTestMachine } from '../process/test-machine.ts';

/** One transparent pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

const Videos = z.object({ videos: z.array(VideoJob), saved: z.array(z.string()).optional() });

/** A test of one person who orders videos: it has a machine of its own, so that others may wait beside it. */
export const test = base
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads the pattern to see what is needed
  .extend('terminal', async ({}, { onCleanup }) => {
    const terminal = await openTestMachine();
    onCleanup(async () => await terminal[Symbol.asyncDispose]());
    return terminal;
  })
  /** Where the person's own files lie. */
  .extend('folder', async ({ terminal }) => {
    const folder = join(terminal.dataDir, '..', 'work');
    await mkdir(folder);
    return folder;
  })
  .extend('image', ({ folder }) => async (name = 'fox.png') => {
    const path = join(folder, name);
    await writeFile(path, PNG);
    return path;
  })
  /** The arguments of a confirmed order. */
  .extend('order', ({ image }) => async (prompt: string, more: readonly string[] = []) => {
    return ['video', 'new', '--image', await image(), '--prompt', prompt, '--yes', ...more];
  })
  .extend('look', ({ terminal }) => async (id: string) => {
    const shown = await terminal.json(['video', 'list', id]);
    return z.object({ video: VideoJob }).parse(shown).video;
  })
  /** The orders that the sandbox has stored. */
  .extend('orders', ({ terminal }) => async () => {
    const file = join(terminal.dataDir, 'sandbox', 'videos.json');
    return z.array(z.unknown()).parse(JSON.parse(await readFile(file, 'utf8').catch(() => '[]')));
  });

/** The one job in what a command printed. */
export function parseJob(printed: unknown): VideoJob {
  const [job] = Videos.parse(printed).videos;
  assert(job !== undefined);
  return job;
}

export async function isVideo(path: string): Promise<boolean> {
  return (await readFile(path)).subarray(4, 8).toString('latin1') === 'ftyp';
}
