import { expectAccessible } from '../../kit/ui/axe.ts';
import { expect, test } from '../../kit/ui/kit.ts';

test('profiles are switched in the navigation and among the aliases, and removed', async ({
  page,
  harness,
}) => {
  const calls = await harness.calls();
  const alias = { clientId: null, name: 'main', effort: null };
  await calls.aliases.set({ ...alias, profile: 'cheap', model: 'ember-mini' });
  await calls.aliases.set({ ...alias, profile: 'good', model: 'isle/isle-pro' });
  await harness.open(page, '/models');
  const menu = page.getByRole('button', { name: /^Profile:/u });
  await expect(menu).toHaveText('Profile: none');
  await menu.click();
  await page.getByRole('menuitemradio', { name: 'cheap' }).click();
  await expect(menu).toHaveText('Profile: cheap');
  expect((await harness.ask({ model: 'main' })).status).toBe(200);
  await page.getByRole('button', { name: 'Aliases' }).click();
  const good = page.getByRole('region', { name: 'Profile good' });
  await good.getByRole('button', { name: 'Use: profile good' }).click();
  await expect(good.getByRole('button', { name: 'In use: profile good' })).toBeVisible();
  await expectAccessible(page);
  await good.getByRole('combobox', { name: 'Service of the profile good' }).click();
  await page.getByRole('option', { name: /^Uses Sandbox/iu }).click();
  await expect
    .poll(async () => (await calls.aliases.list()).profiles.at(-1)?.upstreamId)
    .toBe('sandbox');
  await good.getByRole('button', { name: 'Remove the profile good' }).click();
  await page.getByRole('button', { name: 'Remove the profile', exact: true }).click();
  await expect(good).toHaveCount(0);
  // The notifications have such a button too, until they vanish.
  const dialog = page.getByRole('dialog', { name: 'Aliases of models' });
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(menu).toHaveText('Profile: none');
});
