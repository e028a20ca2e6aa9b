import { expect, test } from '../../../kit/ui/kit.ts';
import { openCard, addVideo } from '../../../kit/ui/video-steps.ts';
import { openVideo } from '../../../kit/ui/steps/videos-decide.ts';

const UNSURE = 'The lighthouse at dusk';

test('the task id of an order of unknown outcome can be pasted, and is polled', async ({
  startHarness,
  page,
}) => {
  const pane = await openVideo({ startHarness, page }, UNSURE);
  await pane.getByRole('button', { name: 'Enter its id…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Task id' });
  await dialog.getByRole('button', { name: 'Use this id' }).click();
  await expect(dialog.getByText('Paste the id of the task.')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Id' }).fill('  video_68f2c9 ');
  await dialog.getByRole('button', { name: 'Use this id' }).click();
  await expect(pane.getByText(/^(?:Queued|Rendering)$/u)).toBeVisible();
  await expect(pane.getByText('video_68f2c9', { exact: true })).toBeVisible();
  await expect(pane.getByRole('status').first()).toContainText('no charge (sandbox)');
});

test('an abandoned order of unknown outcome shows that the sandbox charges nothing', async ({
  startHarness,
  page,
}) => {
  const pane = await openVideo({ startHarness, page }, UNSURE);
  await pane.getByRole('button', { name: 'Give up' }).click();
  await expect(pane.getByText('Cancelled', { exact: true })).toBeVisible();
  await expect(pane.getByText('no charge (sandbox)')).toBeVisible();
  await expect(pane.getByRole('button', { name: 'Enter its id…' })).toBeVisible();
});

test('an ambiguous id is picked once, and Settings show what was learned', async ({
  startHarness,
  page,
}) => {
  const pane = await openVideo({ startHarness, page }, 'Paper boats');
  await pane.getByRole('button', { name: 'Use this' }).click();
  await expect(pane.getByText('Choose one of the options.')).toBeVisible();
  await expect(pane.getByText('"batch": "b-2291"').first()).toBeVisible();
  await pane.getByRole('radio', { name: 'video_68f2c1' }).check();
  await pane.getByRole('button', { name: 'Use this' }).click();
  await expect(pane.getByText(/^(?:Queued|Rendering)$/u)).toBeVisible();
  await page.getByRole('link', { name: 'Settings' }).click();
  const videos = page.getByRole('region', { name: 'Videos' });
  await expect(videos.getByText('id of a task at /id')).toBeVisible();
  await videos.getByRole('button', { name: 'Fields of Sandbox' }).click();
  const dialog = page.getByRole('dialog', { name: 'Fields of Sandbox' });
  await expect(dialog.getByRole('textbox', { name: 'Id of a task' })).toHaveValue('/id');
  await dialog.getByRole('button', { name: 'Forget all' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(videos.getByText('Nothing learned yet.')).toBeVisible();
});

test('an id that is not among the candidates can be typed', async ({ startHarness, page }) => {
  const pane = await openVideo({ startHarness, page }, 'Paper boats');
  await pane.getByRole('radio', { name: 'Another id' }).check();
  await pane.getByRole('button', { name: 'Use this' }).click();
  await expect(pane.getByRole('textbox', { name: 'Another id' })).toHaveAttribute(
    'aria-invalid',
    'true',
  );
  await pane.getByRole('textbox', { name: 'Another id' }).fill('video_77');
  await pane.getByRole('button', { name: 'Use this' }).click();
  await expect(pane.getByText('video_77', { exact: true })).toBeVisible();
});

test('the fields of a service are set by hand or by the convention', async ({ harness, page }) => {
  await harness.open(page, '/settings');
  const videos = page.getByRole('region', { name: 'Videos' });
  await videos.getByRole('button', { name: 'Fields of Sandbox' }).click();
  const dialog = page.getByRole('dialog', { name: 'Fields of Sandbox' });
  await dialog.getByRole('textbox', { name: 'Cost' }).fill('usage.cost');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('A place in an answer, such as /data/0/url.')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Cost' }).fill('/usage/cost');
  await dialog.getByRole('button', { name: 'Add a word' }).click();
  await dialog.getByRole('textbox', { name: 'Word' }).fill('spoiled');
  await dialog.getByRole('combobox', { name: 'Meaning' }).click();
  await page.getByRole('option', { name: 'it failed' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(videos.getByText('cost at /usage/cost')).toBeVisible();
  await expect(videos.getByText('1 status word')).toBeVisible();
  await videos.getByRole('button', { name: 'Fields of Sandbox' }).click();
  await dialog.getByRole('button', { name: 'OpenAI video convention' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(videos.getByText('id of a task at /id')).toBeVisible();
  await expect(videos.getByText('3 status words')).toBeVisible();
});

test('the video folder and the concurrency are set, and invalid values are shown at their fields', async ({
  harness,
  page,
}) => {
  await harness.open(page, '/settings');
  const videos = page.getByRole('region', { name: 'Videos' });
  await videos.getByRole('textbox', { name: 'Videos at the same time' }).fill('5');
  await videos.getByRole('button', { name: 'Save the video settings' }).click();
  await expect(page.getByText('Saved.')).toBeVisible();
  await videos.getByRole('switch', { name: 'Keep clients’ videos' }).press('Space');
  const { settings } = await harness.calls();
  await expect
    .poll(async () => {
      const { videosAtOnce, keepClientVideos, videoFolder } = (await settings.get()).settings;
      return [videosAtOnce, keepClientVideos, videoFolder];
    })
    .toEqual([5, false, null]);
});

test('a draft can be edited, confirmed and cancelled before it is ordered', async ({
  startHarness,
  page,
}) => {
  const harness = await startHarness({ seed: { settings: { videosAtOnce: 1 } } });
  // The only place is taken, so the draft waits once it is confirmed.
  await addVideo(harness, 'long [scenario render-ms=600000]');
  await addVideo(harness, 'A tram', { confirmed: false });
  await harness.open(page, '/videos');
  const pane = await openCard(page, 'A tram');
  await pane.getByRole('link', { name: 'Edit' }).click();
  await page.getByRole('textbox', { name: 'Prompt' }).fill('A tram at night');
  await page.getByRole('button', { name: 'Save as draft' }).click();
  await pane.getByRole('button', { name: 'Order this video…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('The sandbox makes up a video: no charge (sandbox).');
  await expect(dialog.getByRole('definition').first()).toHaveText('h3');
  await dialog.getByRole('button', { name: 'Order it' }).click();
  await expect(pane.getByText('Waiting', { exact: true })).toBeVisible();
  await expect(pane.getByText('A tram at night').first()).toBeVisible();
  await pane.getByRole('button', { name: 'Cancel…' }).click();
  await expect(dialog).toContainText('Nothing has been ordered.');
  await dialog.getByRole('button', { name: 'Cancel the video' }).click();
  await expect(pane.getByText('Cancelled', { exact: true })).toBeVisible();
});

test('an unknown status word and a failure reason are each chosen once and remembered', async ({
  harness,
  page,
}) => {
  test.slow();
  const scenarios = '[scenario render-ms=500] [scenario own-words] [scenario other-reason]';
  await addVideo(harness, `It goes wrong ${scenarios}`);
  await harness.open(page, '/videos');
  const pane = await openCard(page, `It goes wrong ${scenarios}`);
  const alert = pane.getByRole('alert').filter({ hasText: 'What does it mean?' });
  await expect(alert).toContainText('“spoiled”');
  await alert.getByRole('button', { name: 'It failed' }).click();
  await expect(pane.getByText('Failed', { exact: true })).toBeVisible();
  const reasons = pane.getByRole('button', { name: /^This is the reason/u });
  await expect(reasons).toHaveCount(2);
  const name = (await reasons.first().getAttribute('aria-label')) ?? '';
  await reasons.first().click();
  await expect(reasons).toHaveCount(0);
  await expect(pane.getByText(name.replace('This is the reason: ', '')).first()).toBeVisible();
  await pane
    .getByRole('button', { name: /^State/u })
    .first()
    .click();
  await expect(pane.getByRole('group', { name: 'State, as received' }).first()).toContainText('"');
  const { videos, upstreams } = await harness.calls();
  const sandbox = (await upstreams.list()).find(({ kind }) => kind === 'sandbox');
  const map = sandbox === undefined ? null : await videos.fields.get({ id: sandbox.id });
  expect(map?.words).toMatchObject({ spoiled: 'failed' });
  expect(map?.reason).not.toBeNull();
});

test('a wrongly picked id can be corrected', async ({ harness, page }) => {
  test.slow();
  const prompt = 'Wrong [scenario two-ids] [scenario render-ms=500]';
  await addVideo(harness, prompt);
  await harness.open(page, '/videos');
  const pane = await openCard(page, prompt);
  const right = pane.getByRole('radio', { name: /^task-/u }).first();
  await expect(right).toBeVisible();
  const id = await right.locator('xpath=ancestor::*[.//code][1]').locator('code').textContent();
  await pane.getByRole('radio', { name: 'Another id' }).check();
  await pane.getByRole('textbox', { name: 'Another id' }).fill('task-of-somebody');
  await pane.getByRole('button', { name: 'Use this' }).click();
  await pane.getByRole('button', { name: 'Enter another id…' }).click();
  await page.getByRole('textbox', { name: 'Id' }).fill(id ?? '');
  await page.getByRole('button', { name: 'Use this id' }).click();
  await expect(page.locator('video[controls]')).toBeVisible();
});

test('an order with a lost answer or two ids waits for a decision', async ({ harness, page }) => {
  test.slow();
  await addVideo(harness, 'Lost [scenario lost-answer]');
  await addVideo(harness, 'Two ids [scenario two-ids] [scenario render-ms=500]');
  await harness.open(page, '/videos?show=person');
  const pane = await openCard(page, 'Lost [scenario lost-answer]');
  await expect(pane.getByText('Order status unknown')).toBeVisible();
  await pane.getByRole('button', { name: 'Give up' }).click();
  await expect(pane.getByText('Cancelled', { exact: true })).toBeVisible();
  await openCard(page, 'Two ids [scenario two-ids] [scenario render-ms=500]');
  await pane
    .getByRole('radio', { name: /^task-/u })
    .first()
    .check();
  await pane.getByRole('button', { name: 'Use this' }).click();
  await expect(page.locator('video[controls]')).toBeVisible();
});
