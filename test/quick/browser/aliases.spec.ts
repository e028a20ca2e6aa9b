import { expectAccessible } from '../../kit/ui/axe.ts';
import { expect, test } from '../../kit/ui/kit.ts';

test('an alias is added with the keyboard, holds, is changed and removed', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/models');
  expect((await harness.ask({ model: 'main' })).status).toBe(404);
  await page.getByRole('button', { name: 'Aliases' }).click();
  const aliases = page.getByRole('dialog', { name: 'Aliases of models' });
  await expect(aliases).toContainText('None yet.');
  await aliases.getByRole('button', { name: 'Add an alias', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Add an alias' });
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog).toContainText('Enter the name of a model that clients ask for.');
  await page.keyboard.type('main');
  await dialog.getByRole('combobox', { name: 'Model' }).fill('ember-mini');
  await page.keyboard.press('Escape');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  const table = aliases.getByRole('table', { name: 'Aliases that always hold' });
  await expect(table.getByRole('row', { name: /main.*ember-mini.*Every client/u })).toBeVisible();
  await expectAccessible(page);
  expect((await harness.ask({ model: 'main' })).status).toBe(200);
  await table.getByRole('button', { name: 'Change the alias main' }).click();
  const change = page.getByRole('dialog', { name: 'Alias main' });
  await expect(change.getByRole('textbox', { name: 'Name' })).toBeDisabled();
  await change.getByRole('combobox', { name: 'Reasoning effort' }).fill('very low');
  await change.getByRole('button', { name: 'Save' }).click();
  await expect(change).toContainText('An effort is one word');
  await change.getByRole('combobox', { name: 'Reasoning effort' }).fill('low');
  await change.getByRole('button', { name: 'Save' }).click();
  await expect(table).toContainText('effort low');
  await table.getByRole('button', { name: 'Remove the alias main' }).click();
  await expect(aliases).toContainText('None yet.');
  expect((await harness.ask({ model: 'main' })).status).toBe(404);
});
