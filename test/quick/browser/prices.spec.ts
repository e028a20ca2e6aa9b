import { expectAccessible } from '../../kit/ui/axe.ts';
import { navigationRail } from '../../kit/ui/harness.ts';
import { expect, test } from '../../kit/ui/kit.ts';
import { item, addPrice } from '../../kit/ui/steps/prices.ts';

test('a price is added with the keyboard, changed, found, exported and removed', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/');
  await navigationRail(page).getByRole('link', { name: 'Prices' }).click();
  await expect(page.getByText('No prices yet')).toBeVisible();
  const play = page.getByRole('region', { name: 'Play prices of the sandbox' });
  await expect(play.getByRole('listitem')).toContainText([
    'h3$0.05 per second of video in 480p; $0.10 per second of video in any other resolution',
    '*/*-smallinput $0.25, output $1.00',
    'ember-miniinput $0.10, output $0.40',
    'all other modelsinput $3.00, output $15.00',
  ]);
  await page.getByRole('button', { name: 'Add a price' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Add a price' });
  await expect(dialog.getByRole('textbox', { name: 'Model' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog).toContainText('Enter the id of a model.');
  await page.keyboard.type('acme/*');
  await dialog.getByRole('textbox', { name: 'Input', exact: true }).fill('1,5');
  await page.keyboard.press('Enter');
  await expect(dialog).toContainText('Enter an amount such as 3 or 0.25.');
  await expectAccessible(page);
  await dialog.getByRole('textbox', { name: 'Input', exact: true }).fill('0.125');
  await dialog.getByRole('textbox', { name: 'Output', exact: true }).fill('15');
  await page.keyboard.press('Enter');
  await expect(item(page, 'acme/*')).toContainText(
    'input $0.125, output $15.00 per million tokens',
  );

  await page.getByRole('button', { name: 'Change the price of acme/*' }).click();
  const change = page.getByRole('dialog', { name: 'Price of a model' });
  await change.getByRole('textbox', { name: 'Second of video' }).fill('480p=0.05');
  await change.getByRole('button', { name: 'Save' }).click();
  await expect(item(page, 'acme/*')).toContainText('$0.05 per second of video in 480p');

  await addPrice(page, 'other', '1');
  await page.getByRole('searchbox', { name: 'Find a price' }).fill('acme');
  await expect(item(page, 'other')).toHaveCount(0);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Remove the price of acme/*' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('No price matches.')).toBeVisible();
});
