import { expect, test } from '../../../kit/ui/kit.ts';
import { sendSteps, expectDifferences } from '../../../kit/ui/steps/compare.ts';

test('a request is compared with the one before it, by keyboard', async ({ page, harness }) => {
  const { first, second } = await sendSteps(harness);
  await harness.open(page, `/history?exchange=${second}`);
  await expect(page.getByText(/^Step 2 of/u)).toBeVisible();
  await page.getByRole('button', { name: 'Compare' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'With the request before' }).press('Enter');
  await expect(page).toHaveURL(
    new RegExp(`/history/compare\\?left=${first}&right=${second}$`, 'u'),
  );
  await expectDifferences(page);
  await page.getByRole('button', { name: 'Swap' }).press('Enter');
  const system = page.getByRole('article', { name: 'Message of system, changed' });
  await expect(system.getByRole('deletion')).toHaveText('Tuesday');
  await page.getByRole('table', { name: 'Facts' }).getByRole('link').first().click();
  await expect(page).toHaveURL(new RegExp(`exchange=${second}`, 'u'));
});
