import { expectAccessible } from '../../kit/ui/axe.ts';
import { expect, test } from '../../kit/ui/kit.ts';

test('a budget of a client is set in the window, holds, is shown used up, and can be removed', async ({
  page,
  harness,
}) => {
  const calls = await harness.calls();
  const { client, key } = await calls.clients.add({ name: 'Claude Code', expiresAt: null });
  expect((await harness.ask({ localKey: key })).status).toBe(200);
  await harness.open(page, '/clients');
  await page.getByRole('button', { name: client.name, exact: true }).click();
  const section = page.getByRole('region', { name: 'Limits of Claude Code' });
  await section.getByRole('button', { name: 'Set a limit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Limit of Claude Code' });
  await dialog.getByRole('combobox', { name: 'Limit' }).click();
  await page.getByRole('option', { name: 'Requests', exact: true }).click();
  const most = dialog.getByRole('textbox', { name: 'At most' });
  await most.fill('1');
  await expect(most).toHaveAccessibleDescription(
    'Used today: 1 request. With this amount requests are refused at once.',
  );
  await most.fill('2');
  await expect(most).toHaveAccessibleDescription('Used today: 1 request.');
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await expect(section).toContainText('2 requests per day');
  await expect(section).toContainText('1 request used; resets at');
  expect((await harness.ask({ localKey: key })).status).toBe(200);
  const refused = await harness.ask({ localKey: key });
  expect(refused.status).toBe(402);
  await expect(section).toContainText('2 requests used; resets at');
  const row = page.getByRole('row').filter({ hasText: 'Claude Code' });
  await expect(row).toContainText('limit reached');
  await expect(row).toContainText('2 requests per day');
  await expect(row).toContainText(/\$0\.0\d+/u);
  await expect(page.getByRole('complementary', { name: 'Claude Code' })).toContainText(
    '3 requests',
  );
  const actions = section.getByRole('button', {
    name: 'Actions of the limit of 2 requests per day',
  });
  await actions.click();
  await page.getByRole('menuitem', { name: 'Allow one more request' }).click();
  await expect(section).toContainText('the next request that it would refuse passes');
  const answers = await Promise.all([
    harness.ask({ localKey: key }),
    harness.ask({ localKey: key }),
  ]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 402]);
  await expect(section).not.toContainText('the next request that it would refuse passes');
  await actions.click();
  await page.getByRole('menuitem', { name: 'Allow all for an hour' }).click();
  await expect(section).toContainText('all requests pass');
  await expect(row).not.toContainText('limit reached');
  expect((await harness.ask({ localKey: key })).status).toBe(200);
  await actions.click();
  await page.getByRole('menuitem', { name: 'Change the amount…' }).click();
  await expect(dialog.getByRole('textbox', { name: 'At most' })).toHaveValue('2');
  await expect(dialog.getByRole('combobox', { name: 'Limit' })).toBeDisabled();
  await dialog.getByRole('textbox', { name: 'At most' }).fill('9');
  await page.keyboard.press('Enter');
  await expect(section).toContainText('9 requests per day');
  await section.getByRole('button', { name: 'Actions of the limit of 9 requests per day' }).click();
  await page.getByRole('menuitem', { name: 'Remove…' }).click();
  const question = page.getByRole('dialog', { name: 'Remove this limit?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(section).toContainText('9 requests per day');
  await section.getByRole('button', { name: 'Actions of the limit of 9 requests per day' }).click();
  await page.getByRole('menuitem', { name: 'Remove…' }).click();
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Remove the limit' }).click();
  await expect(section).toContainText('None. Set one');
  expect((await harness.ask({ localKey: key })).status).toBe(200);
});
