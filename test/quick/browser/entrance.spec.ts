import { expect, test } from '../../kit/ui/kit.ts';

test('the printed link signs a browser in once, and the code leaves the address', async ({
  page,
  startHarness,
}) => {
  const harness = await startHarness({ setUp: false });
  await page.goto(await harness.link());
  await expect(page.getByRole('navigation', { name: 'Screens' })).toBeVisible();
  expect(new URL(page.url()).hash).toBe('');
  await page.reload();
  await expect(page.getByRole('navigation', { name: 'Screens' })).toBeVisible();
});
