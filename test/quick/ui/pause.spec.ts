import { expectAccessible } from '../../kit/ui/axe.ts';
import { expect, test } from '../../kit/ui/kit.ts';

test('the palette pauses, every screen shows it, and one click resumes', async ({
  page,
  harness,
}) => {
  await harness.open(page);
  const rail = page.getByRole('navigation', { name: 'Screens' });
  const notice = page.getByText(/^Gatehouse has been paused since \d\d:\d\d\./u);
  await expect(rail.getByText('Sandbox', { exact: true })).toBeVisible();
  await page.keyboard.press('Control+K');
  await page.getByRole('textbox', { name: 'Go to' }).fill('pause');
  await page.keyboard.press('Enter');
  await expect(notice).toBeVisible();
  await expect(rail.getByText(/^Paused since \d\d:\d\d$/u)).toBeVisible();
  expect((await harness.ask()).status).toBe(503);
  await expect(page.getByRole('region', { name: /^Paused since/u })).toBeVisible();
  await expectAccessible(page);
  await rail.getByRole('link', { name: 'Videos' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Videos' })).toBeVisible();
  await page.getByRole('main').getByRole('button', { name: 'Resume' }).click();
  await expect(notice).toBeHidden();
  await expect(rail.getByText('Sandbox', { exact: true })).toBeVisible();
  expect((await harness.ask()).status).toBe(200);
});
