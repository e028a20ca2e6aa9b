import type { Locator, Page } from '@playwright/test';
import { expectAccessible } from '../../../kit/ui/axe.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import { seedOldExchanges } from '../../../kit/ui/seed/old-exchanges.ts';

test.use({ harnessOptions: { seed: { more: seedOldExchanges(450) } } });

const NEWEST = 'old-0000000';

function findRow(page: Page, id: string): Locator {
  return page.locator(`#exchange-${id}`);
}

function findActions(page: Page): Locator {
  return page.getByRole('group', { name: 'Actions on this request' });
}

function findPin(row: Locator): Locator {
  return row.getByRole('img', { name: 'Pinned' });
}

async function expectCount(page: Page, count: string): Promise<void> {
  await expect(page.getByText(count, { exact: true })).toBeVisible();
}

test(
  'an exchange is pinned, noted and tagged with the keyboard, and another window shows it',
  {
    tag: '@browser',
  },
  async ({ page, context, harness }) => {
    await harness.open(page, '/history');
    const other = await context.newPage();
    await harness.open(other, `/history?exchange=${NEWEST}`);
    await findRow(page, NEWEST).click();
    await findActions(page).getByRole('button', { name: 'Pin' }).focus();
    await page.keyboard.press('Enter');
    await expect(findActions(page).getByRole('button', { name: 'Unpin' })).toBeVisible();
    for (const one of [page, other]) await expect(findPin(findRow(one, NEWEST))).toBeVisible();
    await expect(findActions(other).getByRole('button', { name: 'Unpin' })).toBeVisible();

    await findActions(page).getByRole('button', { name: 'Note and tags' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Note and tags' });
    await expect(dialog.getByLabel('Note')).toBeFocused();
    await page.keyboard.type('Loops after the third call.');
    await page.keyboard.press('Tab');
    await page.keyboard.type('bug later,');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save' }).focus();
    await page.keyboard.press('Enter');
    await expect(page.locator('.mantine-Modal-content')).toHaveCount(0);
    for (const one of [page, other]) {
      const marks = one.getByRole('region', { name: 'Your marks' });
      await expect(marks).toContainText('Loops after the third call.');
      await expect(findRow(one, NEWEST)).toContainText('buglater');
      await expect(findRow(one, NEWEST).getByRole('img', { name: 'Has a note' })).toBeVisible();
    }
    // The pointer rests where the icon of the note has appeared.
    await page.mouse.move(0, 0);
    await expect(page.getByRole('tooltip')).toHaveCount(0);
    await expectAccessible(page);

    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.keyboard.type('tag:b');
    await expect(page.getByRole('option')).toHaveText(['bug']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expectCount(page, '1 request');
    await page.keyboard.type('-pinned');
    await expectCount(page, '0 requests');
    await page.getByRole('combobox', { name: 'Pins: Not pinned' }).click();
    await page.getByRole('option', { name: 'Pinned', exact: true }).click();
    await expectCount(page, '1 request');
    await findActions(other).getByRole('button', { name: 'Unpin' }).click();
    await expectCount(page, '0 requests');
    await expect(page.getByText('No request matches')).toBeVisible();
  },
);

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
      await expectCount(one, '449 requests');
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
