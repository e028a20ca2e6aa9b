import type { Page } from '@playwright/test';
import { expect, test } from '../../kit/ui/kit.ts';
import { card, openCard } from '../../kit/ui/video-steps.ts';
import { images, pick, submit } from '../../kit/ui/steps/videos.ts';

test('a video started before a restart is finished and plays afterwards', async ({
  harness,
  page,
  provoked,
}) => {
  provoked(
    /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE/u,
  );
  const prompt = 'A fox trots through snow. [scenario gate=1]';
  await harness.open(page, '/videos/new');
  await pick(page, 'still.png');
  await expect(images(page).getByText('1 × 1')).toBeVisible();
  await page.getByRole('textbox', { name: 'Prompt' }).fill(prompt);
  await submit(page).click();
  const dialog = page.getByRole('dialog', { name: 'Order this video?' });
  await expect(dialog).toContainText('the video is made up and costs nothing');
  await expect(dialog).not.toContainText(/is charged|one charge/iu);
  await expect(dialog.getByRole('term').or(dialog.getByRole('definition'))).toHaveText([
    'Model',
    'h3',
    'Task',
    'ref2va (a video from an image)',
    'Length',
    '4 s',
    'Resolution',
    '480p',
    'Cost per video',
    '$0.20 (sandbox, not charged)',
  ]);
  await dialog.getByRole('button', { name: 'Order 1 video (no charge)' }).click();
  await expect(card(page, prompt).getByText(/^(?:Queued|Rendering)$/u)).toBeVisible();
  await expect(card(page, prompt)).toContainText(/checked \d+ s ago, next check/u);
  await expect(card(page, prompt)).toContainText('$0.20 (sandbox, not charged)');
  await page.goto('about:blank');
  await harness.stop('SIGKILL');
  await harness.start();
  await harness.open(page, '/videos');
  await harness.ask({ scenario: 'open-gate=1' });
  await expect(card(page, prompt).getByText('Done')).toBeVisible();
  const pane = await openCard(page, prompt);
  await expectPlays(page);
  await expect(pane.getByText('SHA-256')).toBeVisible();
  const saving = page.waitForEvent('download');
  await pane.getByRole('link', { name: 'Save as…' }).click();
  const download = await saving;
  expect(download.suggestedFilename()).toMatch(/A fox trots.*\.mp4$/u);
  const { videos } = await harness.calls();
  const { jobs } = await videos.page({ filter: {}, limit: 10 });
  expect(jobs.map(({ state }) => state)).toEqual(['done']);
});

/** Reads the abilities of the page's player: it shows a picture, plays, and seeks. */
async function expectPlays(page: Page): Promise<void> {
  const video = page.locator('video[controls]');
  await expect
    .poll(() => video.evaluate((one: HTMLVideoElement) => one.readyState))
    .toBeGreaterThan(0);
  await video.evaluate(async (one: HTMLVideoElement) => {
    one.muted = true;
    await one.play();
  });
  await expect
    .poll(() => video.evaluate((one: HTMLVideoElement) => one.currentTime))
    .toBeGreaterThan(0.3);
  const size = await video.evaluate(
    (one: HTMLVideoElement) =>
      new Promise<readonly number[]>((resolve) => {
        one.pause();
        one.addEventListener('seeked', () => resolve([one.currentTime, one.videoWidth]), {
          once: true,
        });
        one.currentTime = one.duration - 0.5;
      }),
  );
  expect(size[0]).toBeGreaterThan(2);
  expect(size[1]).toBe(854);
}
