import { expect, test } from '../../kit/ui/kit.ts';

test('a used link is refused, and the page says how to get a new one', async ({
  page,
  browser,
  harness,
  provoked,
}) => {
  provoked(/status of 401/u);
  const link = await harness.link();
  await page.goto(link);
  await expect(page.getByRole('navigation', { name: 'Screens' })).toBeVisible();
  await using stranger = await browser.newContext();
  const elsewhere = await stranger.newPage();
  await elsewhere.goto(link);
  await expect(elsewhere.getByText('gatehouse open', { exact: true })).toBeVisible();
  await expect(elsewhere.getByText('This link was already used')).toBeVisible();
});

test('without a link every address is refused', async ({ page, harness, provoked }) => {
  provoked(/status of 401/u);
  await page.goto(`${harness.windowUrl}/history`);
  await expect(page.getByText('Open this window with a link')).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Screens' })).toHaveCount(0);
});

test('a second link in another tab does not sign out the first', async ({
  page,
  context,
  harness,
  provoked,
}) => {
  // The new session ends the old one a moment before the first tab hears of it; a list that is asked for in between is asked for again.
  provoked(/status of 401/u);
  await page.goto(await harness.link());
  await expect(page.getByRole('navigation', { name: 'Screens' })).toBeVisible();
  await harness.open(page, '/clients');
  await page.getByRole('button', { name: 'Add a client' }).click();
  await page.getByRole('combobox', { name: 'Program' }).click();
  await page.getByRole('option', { name: 'Another program' }).click();
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.fill('Typed before');
  const other = await context.newPage();
  await other.goto(await harness.link());
  await expect(other.getByRole('navigation', { name: 'Screens' })).toBeVisible();
  await name.press('Enter');
  await expect(page.getByRole('dialog', { name: 'The local key of Typed before' })).toBeVisible();
  await other.reload();
  await expect(other.getByRole('navigation', { name: 'Screens' })).toBeVisible();
});

test('a link pasted into a signed-out tab signs it in', async ({ page, harness, provoked }) => {
  provoked(/status of 401/u);
  await page.goto(harness.windowUrl);
  await expect(page.getByText('Open this window with a link')).toBeVisible();
  await page.goto(await harness.link());
  await expect(page.getByRole('navigation', { name: 'Screens' })).toBeVisible();
  expect(new URL(page.url()).hash).toBe('');
});

test('a refused tab is signed in when another one is', async ({ page, context, harness }) => {
  await page.goto(`${harness.windowUrl}/models`);
  await expect(page.getByText('Open this window with a link')).toBeVisible();
  const other = await context.newPage();
  await other.goto(await harness.link());
  await expect(page.getByRole('heading', { level: 1, name: 'Models' })).toBeVisible();
});
