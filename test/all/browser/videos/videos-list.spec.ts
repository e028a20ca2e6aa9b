import { existsSync } from 'node:fs';
import type { Repositories } from '../../../../gateway/gateway.ts';
import { expectAccessible } from '../../../kit/ui/axe.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import { seedJob, seedVideos } from '../../../kit/ui/seed/video-jobs.ts';
import { card, openCard, PIXEL, listedPrompts, addVideo } from '../../../kit/ui/video-steps.ts';

const STUCK = 'first [scenario render-ms=600000]';

async function putAll(repositories: Repositories): Promise<void> {
  await seedVideos(repositories, { service: 'sandbox', pictures: [PIXEL] });
}

test('an empty list says what to do next', async ({ harness, page }) => {
  await harness.open(page, '/videos');
  await expect(page.getByRole('heading', { name: 'No videos yet' })).toBeVisible();
  await page.getByRole('main').getByRole('link', { name: 'New video' }).last().click();
  await expect(page.getByRole('heading', { level: 1, name: 'New video' })).toBeVisible();
});

test('the list is filtered by state and by words, and both survive a reload', async ({
  startHarness,
  page,
}) => {
  const harness = await startHarness({
    seed: { more: putAll },
  });
  await harness.open(page, '/videos');
  await expect(card(page, 'A fox trots')).toBeVisible();
  const states = page.getByRole('group', { name: 'State' });
  await states.getByText('Done').click();
  await expect(card(page, 'lighthouse')).toHaveCount(0);
  expect(await listedPrompts(page)).toHaveLength(2);
  await page.keyboard.press('Escape');
  await page.keyboard.press('/');
  await page.keyboard.type('DOOR opens');
  await expect(card(page, 'A fox trots')).toHaveCount(0);
  await expect(card(page, 'the door opens by itself')).toContainText('storyboard script');
  await page.reload();
  await expect(card(page, 'the door opens by itself')).toBeVisible();
  await expect(card(page, 'A fox trots')).toHaveCount(0);
  await page.getByRole('searchbox').fill('no such words');
  await page.getByRole('button', { name: 'Reset the filters' }).click();
  await expect(card(page, 'lighthouse')).toBeVisible();
  const waiting = page.getByRole('link', { name: /^Videos/u });
  await expect(waiting).toContainText('2 videos waiting for you');
});

test('every state is accessible, in the list and in the details', async ({
  startHarness,
  page,
}) => {
  test.slow();
  let ids = new Map<string, string>();
  const more = async (repositories: Repositories) => {
    ids = await seedVideos(repositories, { service: 'sandbox', pictures: [PIXEL] });
  };
  const harness = await startHarness({ seed: { more } });
  await harness.open(page, '/videos');
  await expect(card(page, 'lighthouse')).toBeVisible();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }
  for (const [key, id] of ids) {
    await test.step(key, async () => {
      await harness.open(page, `/videos?video=${encodeURIComponent(JSON.stringify(id))}`);
      await expect(page.getByRole('heading', { name: 'Facts' })).toBeVisible();
      await expectAccessible(page);
    });
  }
  await page.setViewportSize({ width: 420, height: 800 });
  await expect(page.getByRole('dialog', { name: 'Video' })).toBeVisible();
  await expectAccessible(page);
});

test('waiting videos are reordered by dragging, buttons and keys', async ({
  startHarness,
  page,
}) => {
  const harness = await startHarness({ seed: { settings: { videosAtOnce: 1 } } });
  for (const prompt of [STUCK, 'second', 'third', 'fourth']) await addVideo(harness, prompt);
  await harness.open(page, '/videos');
  const waiting = async () =>
    (await listedPrompts(page)).filter((prompt) => /^(?:second|third|fourth)$/u.test(prompt));
  await expect.poll(waiting).toEqual(['second', 'third', 'fourth']);
  const lower = { x: 300, y: 80 };
  await card(page, 'second').dragTo(card(page, 'fourth'), { targetPosition: lower });
  await expect.poll(waiting).toEqual(['third', 'fourth', 'second']);
  await expect(page.getByRole('status').filter({ hasText: /^Position \d of/u })).toHaveCount(1);
  await page.getByRole('button', { name: 'Earlier: second' }).click();
  await expect.poll(waiting).toEqual(['third', 'second', 'fourth']);
  await page.getByRole('button', { name: 'third', exact: true }).focus();
  await page.keyboard.press('Alt+ArrowDown');
  await expect.poll(waiting).toEqual(['second', 'third', 'fourth']);
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/video=/u);
});

async function putHundreds(repositories: Repositories): Promise<void> {
  for (let number = 0; number < 400; number += 1) {
    const createdAt = repositories.host.now() - number * 1_000;
    const request = { model: 'h3', task: 'ref2va', seconds: '4', resolution: '480p', more: {} };
    const prompt = `Video number ${number}.`;
    await seedJob(repositories, { state: 'cancelled', createdAt, request: { ...request, prompt } });
  }
}

test('hundreds of videos load while scrolling, and only the visible ones are rendered', async ({
  startHarness,
  page,
}) => {
  const harness = await startHarness({ seed: { more: putHundreds } });
  await harness.open(page, '/videos');
  await expect(card(page, 'Video number 0.')).toBeVisible();
  await page.getByRole('button', { name: 'Video number 0.' }).focus();
  await expect(async () => {
    await page.keyboard.press('End');
    await expect(card(page, 'Video number 399.')).toBeVisible({ timeout: 500 });
  }).toPass();
  expect((await listedPrompts(page)).length).toBeLessThan(40);
  await page.keyboard.press('Home');
  await expect(card(page, 'Video number 0.')).toBeVisible();
});

test('two tabs stay in step', { tag: '@browser' }, async ({ harness, page, context }) => {
  await harness.open(page, '/videos');
  const other = await context.newPage();
  await harness.open(other, '/videos');
  await addVideo(harness, 'seen by both', { confirmed: false });
  await expect(card(page, 'seen by both')).toBeVisible();
  await expect(card(other, 'seen by both')).toBeVisible();
  const pane = await openCard(page, 'seen by both');
  await pane.getByRole('button', { name: 'Remove…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove it' }).click();
  await expect(card(page, 'seen by both')).toHaveCount(0);
  await expect(card(other, 'seen by both')).toHaveCount(0);
});

test('a video file is kept or deleted with its entry, as chosen', async ({
  startHarness,
  page,
}) => {
  const harness = await startHarness({
    seed: { more: putAll },
  });
  await harness.open(page, '/videos');
  const { videos } = await harness.calls();
  const { jobs } = await videos.page({ filter: { states: ['done'] }, limit: 10 });
  const paths = jobs.flatMap(({ file }) => file?.path ?? []);
  expect(paths).toHaveLength(2);
  const pane = await openCard(page, 'the door opens by itself');
  await pane.getByRole('button', { name: 'Remove…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('checkbox', { name: 'Also delete the video file' }).check();
  await dialog.getByRole('button', { name: 'Remove it and its file' }).click();
  await expect(card(page, 'the door opens by itself')).toHaveCount(0);
  expect(paths.filter((path) => existsSync(path))).toHaveLength(1);
});

test(
  'reports that no file manager can be opened',
  { tag: '@browser' },
  async ({ startHarness, page }) => {
    test.skip(process.platform !== 'linux', 'Elsewhere there always is one.');
    const environment = { DISPLAY: '', WAYLAND_DISPLAY: '', DBUS_SESSION_BUS_ADDRESS: '' };
    const harness = await startHarness({ environment, seed: { more: putAll } });
    await harness.open(page, '/videos');
    const pane = await openCard(page, 'Shot 12, take 2: the door opens by itself.');
    await pane.getByRole('button', { name: 'Show in folder' }).click();
    const refusal = page.getByRole('alert').filter({ hasText: 'Could not open the folder.' });
    await expect(refusal).toContainText('Copy the path instead.');
  },
);
