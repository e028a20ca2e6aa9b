import assert from 'node:assert';
import type { Page } from '@playwright/test';
import type { Repositories } from '../../../../gateway/gateway.ts';
import { openSandbox } from '../../../../sandbox/server.ts';
import { NO_PRICES } from '../../../../shared/money/price.ts';
import { DEFAULT_VIDEO_REQUEST } from '../../../../shared/video/video.ts';
import { expectAccessible } from '../../../kit/ui/axe.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import { card, openCard, PIXEL } from '../../../kit/ui/video-steps.ts';
import { seedJob } from '../../../kit/ui/seed/video-jobs.ts';
import { images, pick, submit } from '../../../kit/ui/steps/videos.ts';

/** Pastes a file into the page, as the clipboard does. */
async function paste(page: Page, { name, type, text }: Record<'name' | 'type' | 'text', string>) {
  await page.evaluate(
    ([fileName, fileType, base64]) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([bytes], fileName, { type: fileType }));
      document.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      );
    },
    [name, type, text] as const,
  );
}

test('a finished video is announced with a link to it', async ({ harness, page }) => {
  await harness.open(page, '/videos/new');
  await pick(page, 'still.png');
  await page.getByRole('textbox', { name: 'Prompt' }).fill('One that works [scenario gate=1]');
  await submit(page).click();
  await page.getByRole('button', { name: 'Order 1 video (no charge)' }).click();
  await page.getByRole('link', { name: 'Settings' }).click();
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
  await harness.ask({ scenario: 'open-gate=1' });
  const news = page.getByRole('alert').filter({ hasText: 'A video is finished' });
  await expect(news).toBeVisible();
  await news.getByRole('button', { name: /One that works/u }).click();
  await expect(page).toHaveURL(/\/videos\?video=/u);
  await expect(page.locator('video[controls]')).toBeVisible();
  const { href } = new URL(page.url());
  // Its order and its download lead back to it.
  for (const route of ['video-submit', 'video-content']) {
    await harness.open(page, `/history?filter=route:${route}`);
    await page.locator('[aria-label="Exchanges"] [role="row"][aria-rowindex="2"]').click();
    await page.getByRole('link', { name: 'Show this video' }).click();
    await expect(page).toHaveURL(href);
  }
});

test('several images make several videos, with their cost shown', async ({ harness, page }) => {
  await harness.open(page, '/videos/new');
  await pick(page, 'one.png', 'two.png', 'three.png');
  await expect(page.getByText('3 images make 3 videos: no charge (sandbox).')).toBeVisible();
  await page.getByRole('button', { name: 'Remove two.png' }).click();
  await page.getByRole('textbox', { name: 'Prompt' }).fill('The same for both');
  await page.getByRole('button', { name: 'Order 2 videos…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Order 2 videos?' });
  await expect(dialog).not.toContainText('charges');
  await expect(dialog).toContainText('At most 2 run at the same time');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Order 2 videos (no charge)' }).click();
  await expect(card(page, 'The same for both')).toHaveCount(2);
});

test('an order names what it asks for, and the cost as far as the service tells it', async ({
  harness,
  page,
}) => {
  await using service = await openSandbox();
  const { upstreams, videos } = await harness.calls();
  const more = { versionVendor: 'anthropic', caFile: null, proxyUrl: null };
  const form = { name: 'Model gateway', baseUrl: service.url, ...more };
  await upstreams.add({ ...form, key: service.key, place: 'file', use: true, untested: true });
  const { id } = (await upstreams.list()).find(({ active }) => active) ?? {};
  assert(id !== undefined);
  const map = await videos.fields.get({ id });
  await videos.fields.set({ id, map: { ...map, cost: '/cost' } });
  await harness.open(page, '/videos/new');
  await pick(page, 'still.png');
  const prompt = 'A fox [scenario render-ms=300] [scenario tells-cost]';
  await page.getByRole('textbox', { name: 'Prompt' }).fill(prompt);
  await page.getByRole('textbox', { name: 'More fields' }).fill('{"seconds": "6", "seed": 7}');
  await submit(page).click();
  const dialog = page.getByRole('dialog', { name: 'Order this video?' });
  await expect(dialog).toContainText('One order is one charge.');
  const cost = (text: string) =>
    expect(dialog.getByRole('definition')).toHaveText([
      'h3',
      'ref2va (a video from an image)',
      '6 s',
      '480p',
      '{"seed":7}',
      text,
    ]);
  await cost('no price known');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Order 1 video (1 charge)' }).click();
  await expect(card(page, 'A fox').getByText('Done')).toBeVisible();
  const pane = page.getByRole('complementary', { name: 'Video' });
  await pane.getByRole('link', { name: 'Duplicate and edit…' }).click();
  await submit(page).click();
  const [made] = (await videos.page({ filter: {}, limit: 1 })).jobs;
  await cost(`${made?.cost} for the last one like this, as reported by the service`);
});

test('the form survives a reload and is cleared once saved as a draft', async ({
  harness,
  page,
}) => {
  await harness.open(page, '/videos/new');
  await pick(page, 'still.png');
  await page.getByRole('textbox', { name: 'Prompt' }).fill('Half a thought');
  await page.getByRole('textbox', { name: 'Seconds' }).fill('8');
  await page.reload();
  await expect(page.getByRole('textbox', { name: 'Prompt' })).toHaveValue('Half a thought');
  await expect(page.getByRole('textbox', { name: 'Seconds' })).toHaveValue('8');
  await expect(images(page)).toContainText('still.png');
  await expect(images(page).getByText('1 × 1')).toBeVisible();
  await page.getByRole('button', { name: 'Save as draft' }).click();
  await expect(card(page, 'Half a thought').getByText('Draft')).toBeVisible();
  await page.getByRole('link', { name: 'New video' }).click();
  await expect(page.getByRole('textbox', { name: 'Prompt' })).toHaveValue('');
  await expect(images(page)).toHaveCount(0);
});

test('an image is dropped', async ({ harness, page }) => {
  await harness.open(page, '/videos/new');
  const dataTransfer = await page.evaluateHandle((base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], 'dropped.png', { type: 'image/png' }));
    return transfer;
  }, PIXEL.toString('base64'));
  const zone = page.getByLabel('Drop, paste or pick reference images');
  for (const event of ['dragenter', 'dragover', 'drop']) {
    await zone.dispatchEvent(event, { dataTransfer });
  }
  await expect(images(page)).toContainText('dropped.png');
  await expect(images(page).getByText('1 × 1')).toBeVisible();
});

test('an image can be pasted, and other files are refused in place', async ({ harness, page }) => {
  await harness.open(page, '/videos/new');
  await paste(page, { name: 'shot.png', type: 'image/png', text: PIXEL.toString('base64') });
  await expect(images(page)).toContainText('shot.png');
  await paste(page, { name: 'notes.txt', type: 'text/plain', text: btoa('hello') });
  await expect(page.getByText('Not an image')).toBeVisible();
  await page
    .locator('input[type="file"]')
    .setInputFiles([
      { name: 'liar.png', mimeType: 'image/png', buffer: Buffer.from('<svg onload=alert(1)>') },
    ]);
  const liar = images(page).filter({ hasText: 'liar.png' });
  await expect(liar.getByRole('alert')).toBeVisible();
  await page.getByRole('textbox', { name: 'Prompt' }).fill('x');
  await submit(page).click();
  await expect(page.getByText('Remove the image that could not be added.')).toBeVisible();
  await page
    .locator('input[type="file"]')
    .setInputFiles([{ name: 'song.mp3', mimeType: 'audio/mpeg', buffer: Buffer.from('ID3') }]);
  await expect(page.getByText('Could not add song.mp3')).toBeVisible();
});

test('missing and invalid values are shown at their fields, and nothing is ordered', async ({
  harness,
  page,
}) => {
  await harness.open(page, '/videos/new');
  await submit(page).click();
  await expect(page.getByText('Describe what the video should show.')).toBeVisible();
  const noImage = page.getByText('The task ref2va makes a video from an image: add one.');
  await expect(noImage).toBeVisible();
  await page.getByRole('textbox', { name: 'Prompt' }).fill('x');
  await page.getByRole('textbox', { name: 'Seconds' }).fill('four');
  await page.getByRole('textbox', { name: 'More fields' }).fill('[1]');
  await submit(page).click();
  await expect(page.getByText('A number of seconds, such as 4.')).toBeVisible();
  await expect(page.getByText('Enter a JSON object')).toBeVisible();
  await page.getByRole('textbox', { name: 'Seconds' }).fill('4');
  await page.getByRole('textbox', { name: 'More fields' }).fill('');
  await submit(page).click();
  await expect(noImage).toBeVisible();
  await expectAccessible(page);
  const { videos } = await harness.calls();
  expect((await videos.page({ filter: {}, limit: 10 })).jobs).toEqual([]);
});

test('settings are saved under a name, used, and removed', async ({ harness, page }) => {
  await harness.open(page, '/videos/new');
  await page.getByRole('combobox', { name: 'Model' }).fill('other/video-2');
  await page.getByRole('textbox', { name: 'Resolution' }).fill('1080p');
  await page.getByRole('textbox', { name: 'More fields' }).fill('{"seed": 7}');
  await page.getByRole('button', { name: 'Presets' }).click();
  await page.getByRole('menuitem', { name: 'Save these settings…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save these settings' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('Enter a name for the preset.')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Large and lucky');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  await page.getByRole('combobox', { name: 'Model' }).fill('h3');
  await page.getByRole('textbox', { name: 'More fields' }).fill('');
  await page.getByRole('button', { name: 'Presets' }).click();
  await page.getByRole('menuitem', { name: 'Large and lucky', exact: true }).click();
  await expect(page.getByRole('combobox', { name: 'Model' })).toHaveValue('other/video-2');
  await expect(page.getByRole('textbox', { name: 'More fields' })).toHaveValue(/"seed": 7/u);
  await page.getByRole('button', { name: 'Presets' }).click();
  await page.getByRole('menuitem', { name: 'Remove the preset Large and lucky' }).click();
  await page.getByRole('button', { name: 'Presets' }).click();
  await expect(page.getByRole('menuitem', { name: 'Large and lucky', exact: true })).toHaveCount(0);
});

test('“Duplicate and edit” opens the filled-in form and orders nothing', async ({
  harness,
  page,
}) => {
  await harness.open(page, '/videos/new');
  await pick(page, 'still.png');
  await page.getByRole('textbox', { name: 'Prompt' }).fill('First try [scenario render-ms=600000]');
  await submit(page).click();
  await page.getByRole('button', { name: 'Order 1 video (no charge)' }).click();
  const pane = page.getByRole('complementary', { name: 'Video' });
  await pane.getByRole('link', { name: 'Duplicate and edit…' }).click();
  await expect(page.getByRole('textbox', { name: 'Prompt' })).toHaveValue(/First try/u);
  await expect(images(page)).toContainText('still.png');
  const { videos } = await harness.calls();
  expect((await videos.page({ filter: {}, limit: 10 })).jobs).toHaveLength(1);
});

test('a charged video has its cost by the prices, or says that there is none and leads to them', async ({
  startHarness,
  page,
}) => {
  const { more: _, ...request } = DEFAULT_VIDEO_REQUEST;
  const prompt = 'A heron waits in the reeds';
  const seed = {
    more: async (repositories: Repositories) => {
      const service = 'https://models.example.com';
      const job = { state: 'failed', charged: 'yes', orders: 1, orderedAt: 1 } as const;
      await seedJob(repositories, { ...job, service, request: { ...request, more: {}, prompt } });
    },
  };
  const harness = await startHarness({ seed });
  const { prices } = await harness.calls();
  const second = { ...NO_PRICES, videoSecond: { '720p': 100_000 } };
  const price = { model: 'h*', validFrom: 0, tiers: [], origin: 'entered' };
  const service = 'https://models.example.com';
  await prices.add({ prices: [{ ...price, service, prices: second }] });
  await harness.open(page, '/videos');
  await expect(card(page, prompt)).toContainText('charged: no price known');
  const pane = await openCard(page, prompt);
  await expect(pane.getByRole('status')).toContainText('charged: no price known');
  await pane.getByRole('link', { name: 'set one' }).click();
  const dialog = page.getByRole('dialog', { name: 'Price of a model' });
  await expect(dialog.getByRole('textbox', { name: 'Model' })).toHaveValue('h3');
  const seconds = dialog.getByRole('textbox', { name: 'Each second of video' });
  await expect(seconds).toHaveValue('720p=0.1');
  await seconds.fill('720p=0.1 480p=0.05');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  await page.goBack();
  await expect(card(page, prompt)).toContainText('charged: $0.20 by your prices');
  await expect(pane.getByRole('status')).toContainText('charged: $0.20 by your prices');
  await expect(pane.getByRole('definition').filter({ hasText: 'by your prices' })).toHaveText(
    '$0.20, by your prices',
  );
  await expect(pane.getByRole('link', { name: 'set one' })).toHaveCount(0);
});
