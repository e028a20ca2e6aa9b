import { openSandbox } from '../../../sandbox/server.ts';
import { expectAccessible } from '../../kit/ui/axe.ts';
import { expect, test } from '../../kit/ui/kit.ts';
import { fillIn, card } from '../../kit/ui/steps/settings.ts';

test('a service is added with a corrected address and a tested key, and receives new requests', async ({
  harness,
  page,
}) => {
  await using service = await openSandbox();
  await harness.open(page, '/settings');
  await fillIn(page, service);
  const dialog = page.getByRole('dialog', { name: 'Add a service' });
  const key = dialog.getByRole('textbox', { name: 'Service key' });
  await key.fill('');
  await dialog.getByRole('button', { name: 'Test' }).click();
  await expect(dialog.getByText('Enter the service key to test it.')).toBeVisible();
  await key.fill(service.key);
  await dialog.getByRole('button', { name: 'Test' }).click();
  await expect(dialog.getByText('It works')).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  const office = card(page, 'The office');
  await expect(office.getByText('In use')).toBeVisible();
  await expect(office.getByText('plain text in a file')).toBeVisible();
  // While it fades, its field still holds what was typed.
  await expect(dialog).toBeHidden();
  expect(await page.content()).not.toContain(service.key);
  expect((await harness.ask()).status).toBe(200);
  expect(service.requests.map(({ url }) => url)).toContain('/v1/chat/completions');
});
