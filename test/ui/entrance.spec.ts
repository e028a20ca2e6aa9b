import { expect, test } from './kit.ts';

test('the printed link lets a browser in once, and the code leaves the address', async ({
  page,
  startHouse,
}) => {
  const house = await startHouse({ setUp: false });
  await page.goto(await house.link());
  await expect(page.getByRole('navigation', { name: 'Screens' })).toBeVisible();
  expect(new URL(page.url()).hash).toBe('');
  await page.reload();
  await expect(page.getByRole('navigation', { name: 'Screens' })).toBeVisible();
});

test('a used link lets nobody else in, and the page says how to get a new one', async ({
  page,
  browser,
  house,
  provoked,
}) => {
  provoked(/status of 401/u);
  const link = await house.link();
  await page.goto(link);
  await expect(page.getByRole('navigation', { name: 'Screens' })).toBeVisible();
  await using stranger = await browser.newContext();
  const elsewhere = await stranger.newPage();
  await elsewhere.goto(link);
  await expect(elsewhere.getByText('gatehouse open', { exact: true })).toBeVisible();
  await expect(elsewhere.getByText('This link was used already')).toBeVisible();
});

test('without a link nobody is let in, whatever the address', async ({ page, house, provoked }) => {
  provoked(/status of 401/u);
  await page.goto(`${house.windowUrl}/history`);
  await expect(page.getByText('Open this window with a link')).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Screens' })).toHaveCount(0);
});
