import type { Locator, Page } from '@playwright/test';
import type { Repositories } from '../../../../gateway/gateway.ts';
import type { Harness } from '../harness.ts';
import { seedVideos } from '../seed/video-jobs.ts';
import { openCard, PIXEL } from '../video-steps.ts';

async function putAll(repositories: Repositories): Promise<void> {
  await seedVideos(repositories, { service: 'sandbox', pictures: [PIXEL] });
}

/** A harness with videos in every state, and one of them open. */
export async function openVideo(
  { startHarness, page }: { startHarness: (options: object) => Promise<Harness>; page: Page },
  prompt: string,
): Promise<Locator> {
  const harness = await startHarness({ seed: { more: putAll } });
  await harness.open(page, '/videos');
  const full = page.getByRole('button', { name: new RegExp(`^${prompt}`, 'u') });
  return await openCard(page, (await full.textContent()) ?? '');
}
