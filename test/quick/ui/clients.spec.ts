import { expect, test } from '../../kit/ui/kit.ts';
import { row, open, add } from '../../kit/ui/steps/clients.ts';

test('adds a client, whose key works and is shown only once', async ({ page, harness }) => {
  await harness.open(page, '/clients');
  const key = await add(page, 'Codex', 'Codex at work');
  expect((await harness.ask({ localKey: key })).status).toBe(200);
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('combobox', { name: 'Program' })).toHaveValue('Codex');
  await expect(dialog).toContainText(`base_url = "${harness.url}/v1"`);
  await expect(dialog).toContainText(`export GATEHOUSE_CODEX_KEY=${key}`);
  await page.keyboard.press('Escape');
  await expect(dialog.getByRole('alert')).toContainText('not be shown again');
  await dialog.getByRole('button', { name: 'Keep it open' }).click();
  await dialog.getByRole('button', { name: 'I have copied the key' }).click();
  await expect(dialog).toBeHidden();
  await expect(row(page, 'Codex at work').getByRole('cell').nth(3)).toHaveText('1');
  await open(page, 'Codex at work');
  await expect(page.getByRole('complementary')).toContainText('YOUR_LOCAL_KEY');
  expect(await page.content()).not.toContain(key);
});

test('an address that names no client says so', async ({ page, harness }) => {
  await harness.ask();
  await harness.open(page, '/clients?client=zzz');
  await expect(page.getByRole('complementary')).toContainText(
    'There is no client with the id “zzz”',
  );
  await expect(page.getByText('what Gatehouse itself sends')).toBeVisible();
});
