import { expectAccessible } from '../../../kit/ui/axe.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import { seedOldExchanges } from '../../../kit/ui/seed/old-exchanges.ts';
import { findRow, findActions, findPin, expectCount } from '../../../kit/ui/steps/marks.ts';

test.use({ harnessOptions: { furniture: { more: seedOldExchanges(450) } } });

const NEWEST = 'old-0000000';

test('a row far down shows its pin, and stays where it is', async ({ page, harness }) => {
  await harness.open(page, '/history');
  const list = page.getByRole('grid', { name: 'Exchanges' });
  const deep = findRow(page, 'old-0000300');
  await expect(async () => {
    await list.evaluate((element) => element.scrollTo({ top: 32 * 295 }));
    await expect(deep).toBeVisible({ timeout: 500 });
  }).toPass();
  await deep.click();
  const before = await list.evaluate(({ scrollTop }) => scrollTop);
  await findActions(page).getByRole('button', { name: 'Pin' }).click();
  await expect(findPin(deep)).toBeVisible();
  await findActions(page).getByRole('button', { name: 'Unpin' }).click();
  await expect(findPin(deep)).toHaveCount(0);
  expect(await list.evaluate(({ scrollTop }) => scrollTop)).toBe(before);
});

test(
  'an exchange is deleted after a confirmation, in every window',
  {
    tag: '@browser',
  },
  async ({ page, context, harness, provoked }) => {
    provoked(/404 \(Not Found\).*history\/get/u);
    await harness.open(page, `/history?exchange=${NEWEST}`);
    const other = await context.newPage();
    await harness.open(other, `/history?exchange=${NEWEST}`);
    await findActions(page).getByRole('button', { name: 'Pin' }).click();
    await findActions(page).getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this request?' });
    await expect(dialog).toContainText('It is pinned.');
    await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    await findActions(page).getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByText('The request was deleted.')).toBeVisible();
    await expect(findActions(page)).toHaveCount(0);
    for (const one of [page, other]) {
      await expect(findRow(one, NEWEST)).toHaveCount(0);
      await expectCount(one, '449 exchanges');
    }
    await expect(other.getByText('not in the history, or was deleted')).toBeVisible();
  },
);

test('at 420 pixels the actions fit and are accessible', async ({ page, harness }) => {
  await page.setViewportSize({ width: 420, height: 800 });
  await harness.open(page, `/history?exchange=${NEWEST}`);
  await findActions(page).getByRole('button', { name: 'Pin' }).click();
  await expect(findActions(page).getByRole('button', { name: 'Unpin' })).toBeVisible();
  await findActions(page).getByRole('button', { name: 'Note and tags' }).click();
  const dialog = page.getByRole('dialog', { name: 'Note and tags' });
  await dialog.getByLabel('Note').fill('A note of some length, so that it needs two lines here.');
  await dialog.getByRole('combobox', { name: 'Tags' }).fill('bug');
  await page.keyboard.press('Enter');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.locator('.mantine-Modal-content')).toHaveCount(0);
  await expectAccessible(page);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(420);
  await page.keyboard.press('Escape');
  await expect(findPin(findRow(page, NEWEST))).toBeVisible();
  await expectAccessible(page);
});

test('a tag that is too long is refused at its field', async ({ page, harness }) => {
  await harness.open(page, `/history?exchange=${NEWEST}`);
  await findActions(page).getByRole('button', { name: 'Note and tags' }).click();
  const dialog = page.getByRole('dialog', { name: 'Note and tags' });
  await dialog.getByRole('combobox', { name: 'Tags' }).fill('x'.repeat(41));
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toContainText('A tag has 1 to 40 characters and no spaces.');
  await dialog.getByLabel('Note').fill('n'.repeat(2_001));
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toContainText('A note has at most 2000 characters.');
});
