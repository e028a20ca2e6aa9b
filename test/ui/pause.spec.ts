import { expectAccessible } from './kit/axe.ts';
import { expect, test } from './kit/kit.ts';

test('the palette pauses, every screen shows it, and one click resumes', async ({
  page,
  harness,
}) => {
  await harness.open(page);
  const rail = page.getByRole('navigation', { name: 'Screens' });
  const notice = page.getByText('Gatehouse is paused.');
  await expect(rail.getByText('Sandbox', { exact: true })).toBeVisible();
  await page.keyboard.press('Control+K');
  await page.getByRole('textbox', { name: 'Go to' }).fill('pause');
  await page.keyboard.press('Enter');
  await expect(notice).toBeVisible();
  await expect(rail.getByText('Paused', { exact: true })).toBeVisible();
  expect((await harness.ask()).status).toBe(503);
  await expect(page.getByRole('region', { name: 'Paused' })).toBeVisible();
  await expectAccessible(page);
  await rail.getByRole('link', { name: 'Videos' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Videos' })).toBeVisible();
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect(notice).toBeHidden();
  await expect(rail.getByText('Sandbox', { exact: true })).toBeVisible();
  expect((await harness.ask()).status).toBe(200);
});

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
