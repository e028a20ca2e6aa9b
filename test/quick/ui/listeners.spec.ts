import { listPrivateAddresses } from '../../../gateway/lib/own-addresses.ts';
import { expectAccessible } from '../../kit/ui/axe.ts';
import { expect, test } from '../../kit/ui/kit.ts';

test('an address for containers is added, says what hinders it, and is removed', async ({
  harness,
  page,
}) => {
  await harness.open(page, '/settings');
  await page.getByRole('button', { name: 'Add an address' }).click();
  const address = page.getByRole('combobox', { name: 'Address' });
  await address.fill('0.0.0.0');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Docker');
  await page.getByRole('button', { name: 'Listen there' }).click();
  await expect(page.getByText('stands for every network of this machine')).toBeVisible();
  const [own] = listPrivateAddresses();
  await expectAccessible(page);
  await address.fill(own?.address ?? '10.254.253.252');
  await page.getByRole('button', { name: 'Listen there' }).click();
  const listener = page.getByRole('group', { name: 'Docker' });
  await expect(listener).toContainText('/v1');
  await expect(listener.getByText('does not have this address now')).toBeVisible({
    visible: own === undefined,
  });
  await page.reload();
  await expect(listener).toContainText('/v1');
  await expectAccessible(page);
  await listener.getByRole('button', { name: 'Remove Docker' }).click();
  await expect(listener).toBeHidden();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Add an address' })).toBeVisible();
  await expect(listener).toBeHidden();
});
