import { expect, test } from '../../kit/ui/kit.ts';

test.use({ colorScheme: 'light' });

test('a chosen appearance applies before the first paint', async ({ page, harness, provoked }) => {
  provoked(/ERR_FAILED/u);
  await harness.open(page, '/settings');
  await page.getByText('Dark', { exact: true }).click();
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  // Without the page's own script, this is the first frame.
  await page.route(/\/assets\/.*\.js$/u, (route) => route.abort());
  await page.goto(page.url(), { waitUntil: 'commit' });
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(18, 21, 27)');
});
