import { expectAccessible } from '../../../kit/ui/axe.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import { seedOldExchanges } from '../../../kit/ui/seed/old-exchanges.ts';
import { findRow, findActions, findPin, expectCount } from '../../../kit/ui/steps/marks.ts';

test.use({ harnessOptions: { furniture: { more: seedOldExchanges(450) } } });

const NEWEST = 'old-0000000';

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
    await expectCount(page, '1 exchange');
    await page.keyboard.type('-pinned');
    await expectCount(page, '0 exchanges');
    await page.getByRole('combobox', { name: 'Pins: Not pinned' }).click();
    await page.getByRole('option', { name: 'Pinned', exact: true }).click();
    await expectCount(page, '1 exchange');
    await findActions(other).getByRole('button', { name: 'Unpin' }).click();
    await expectCount(page, '0 exchanges');
    await expect(page.getByText('No exchange matches')).toBeVisible();
  },
);
