import { expectAccessible } from '../../kit/ui/axe.ts';
import { expect, test } from '../../kit/ui/kit.ts';
import { addVideo } from '../../kit/ui/video-steps.ts';

test('finding 12: buttons on Home and in the navigation pause and resume, by mouse and by keyboard', async ({
  page,
  harness,
}) => {
  await harness.open(page);
  const rail = page.getByRole('navigation', { name: 'Screens' });
  const panel = page.getByRole('region', { name: 'Running with Sandbox' });
  await panel.getByRole('button', { name: 'Pause' }).click();
  const paused = page.getByRole('region', { name: /^Paused since/u });
  await expect(paused.getByRole('button', { name: 'Resume' })).toBeVisible();
  expect((await harness.ask()).status).toBe(503);
  await expectAccessible(page);
  await rail.getByRole('button', { name: 'Resume' }).press('Enter');
  await expect(panel.getByRole('button', { name: 'Pause' })).toBeVisible();
  expect((await harness.ask()).status).toBe(200);
  // The second click of a double click does not undo the first.
  await rail.getByRole('button', { name: 'Pause' }).dblclick();
  await expect(paused).toBeVisible();
  expect((await harness.ask()).status).toBe(503);
});

test(
  'finding 12: all tabs follow a pause, and both may press at the same moment',
  { tag: '@browser' },
  async ({ page, context, harness }) => {
    await harness.open(page);
    const other = await context.newPage();
    await harness.open(other, '/settings');
    const railOf = (tab: typeof page) => tab.getByRole('navigation', { name: 'Screens' });
    const pages = [page, other];
    await railOf(page).getByRole('button', { name: 'Pause' }).click();
    for (const tab of pages) {
      await expect(railOf(tab).getByText(/^Paused since/u)).toBeVisible();
    }
    // Both saw the pause, and both end it: no request goes on before the other one is made.
    let requests = 0;
    const both = Promise.withResolvers<void>();
    await context.route('**/rpc/status/resume', async (route) => {
      requests += 1;
      if (requests === pages.length) both.resolve();
      await both.promise;
      await route.continue();
    });
    await Promise.all(
      pages.map(async (tab) => await railOf(tab).getByRole('button', { name: 'Resume' }).click()),
    );
    for (const tab of pages) {
      await expect(railOf(tab).getByRole('button', { name: 'Pause' })).toBeVisible();
    }
    expect((await harness.ask()).status).toBe(200);
    await other.close();
  },
);

test('a request refused by the pause says so in its details', async ({ page, harness }) => {
  const calls = await harness.calls();
  await calls.status.pause();
  const { exchangeId } = await harness.ask();
  await harness.open(page, `/history?exchange=${exchangeId}`);
  await expect(page.getByText('It sends no requests while paused.')).toBeVisible();
  await page.keyboard.press('Control+K');
  await page.getByRole('textbox', { name: 'Go to' }).fill('resume');
  await page.keyboard.press('Enter');
  await expect(page.getByText('New requests are refused')).toBeHidden();
  expect((await calls.status.get()).paused).toBe(false);
});

test('a limit is shown on Home and in the status line until requests work again', async ({
  page,
  harness,
  provoked,
}) => {
  // The order stood in the queue for a moment, and a page that saw it asks what became of it.
  provoked(/status of 404/u);
  await harness.open(page);
  const rail = page.getByRole('navigation', { name: 'Screens' });
  // An order is not repeated, so nobody waits for that.
  const path = '/v1/videos';
  expect((await harness.ask({ path, scenario: 'rate-limit-forever' })).status).toBe(429);
  await expect(rail.getByText('Sandbox: limit reached')).toBeVisible();
  await expect(page.getByText('A limit of the service is reached')).toBeVisible();
  await expectAccessible(page);
  expect((await harness.ask()).status).toBe(200);
  await expect(rail.getByText('Sandbox', { exact: true })).toBeVisible();
  await expect(page.getByText('A limit of the service is reached')).toBeHidden();
});

test('a video that waits because of the pause says so in its details', async ({
  page,
  harness,
}) => {
  const calls = await harness.calls();
  await calls.status.pause();
  await addVideo(harness, 'A fox');
  await harness.open(page, '/videos');
  await page.getByRole('button', { name: 'A fox', exact: true }).click();
  const pane = page.getByRole('complementary', { name: 'Video' });
  await expect(pane.getByText('Gatehouse is paused. It starts when you resume')).toBeVisible();
  await calls.status.resume();
  await expect(pane.getByText('The video is finished.')).toBeVisible();
});
