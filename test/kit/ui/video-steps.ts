import type { Locator, Page } from '@playwright/test';
import {
  DEFAULT_VIDEO_REQUEST,
  type NewVideo,
  type VideoJob,
} from '../../../shared/video/video.ts';
import type { Calls, Harness } from './harness.ts';
import { expect } from './kit.ts';
import { anId } from '../videos/video-id.ts';

/** A picture of one pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Returns an image that looks the same but has other bytes. */
export function pixel(name: string): { name: string; mimeType: string; buffer: Buffer } {
  // Bytes after the end of a PNG are ignored.
  return { name, mimeType: 'image/png', buffer: Buffer.concat([PIXEL, Buffer.from(name)]) };
}

/** Uploads an image to Gatehouse like the page does. */
async function takeImage({ videos }: Calls, name: string): Promise<string> {
  const { buffer } = pixel(name);
  const { upload } = await videos.image.begin({ name, bytes: buffer.length });
  await videos.image.append({ upload, base64: buffer.toString('base64') });
  return (await videos.image.finish({ upload })).hash;
}

/** Wants a video behind the page's back. Words in brackets in the prompt or the image's name are scenarios of the sandbox. */
export async function addVideo(
  harness: Harness,
  prompt: string,
  more: AddVideoOptions = {},
): Promise<VideoJob> {
  const calls = await harness.calls();
  const { imageName = 'still.png', confirmed = true, ...fields } = more;
  const image = await takeImage(calls, imageName);
  const video = { ...DEFAULT_VIDEO_REQUEST, prompt, image, waitMinutes: 30, ...fields };
  const id = anId();
  return await calls.videos.add({ id, video, confirmed });
}

interface AddVideoOptions extends Partial<NewVideo> {
  readonly imageName?: string;
  readonly confirmed?: boolean;
}

/** The card of a video in the list. */
export function card(page: Page, prompt: string | RegExp): Locator {
  return page
    .getByRole('list', { name: 'Videos' })
    .getByRole('listitem')
    .filter({ hasText: prompt });
}

/** Opens the details of a video. */
export async function openCard(page: Page, prompt: string): Promise<Locator> {
  await card(page, prompt).getByRole('button', { name: prompt }).click();
  const pane = page.getByRole('complementary', { name: 'Video' });
  await expect(pane.getByText(prompt).first()).toBeVisible();
  return pane;
}

/** The prompts of the list from top to bottom. */
export async function listedPrompts(page: Page): Promise<string[]> {
  const list = page.getByRole('list', { name: 'Videos' });
  return await list.locator('[data-row]').allTextContents();
}
