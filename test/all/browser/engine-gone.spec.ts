import { expect, test } from '../../kit/ui/kit.ts';
import { UNANSWERED } from '../../kit/ui/page-guard.ts';

test('“Try now” reconnects at once', async ({ harness, page, provoked }) => {
  provoked(UNANSWERED);
  await harness.open(page, '/settings');
  await harness.stop();
  const again = page.getByRole('button', { name: 'Try now' });
  await expect(again).toBeVisible();
  await again.click();
  await harness.start();
  await expect(again).toBeHidden();
});

test('a setting changed in one tab appears in the other', async ({ harness, page, context }) => {
  await harness.open(page, '/settings');
  const other = await context.newPage();
  await harness.open(other, '/settings');
  const days = { name: 'Days to keep exchanges' };
  await page.getByRole('textbox', days).fill('30');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(other.getByRole('textbox', days)).toHaveValue('30 days');
  await other.getByRole('switch', { name: 'Repairs' }).press('Space');
  await expect(page.getByRole('switch', { name: 'Repairs' })).not.toBeChecked();
});

test('a client added in one tab appears in the other', async ({ harness, page, context }) => {
  await harness.open(page, '/clients');
  const other = await context.newPage();
  await harness.open(other, '/clients');
  await (await harness.calls()).clients.add({ name: 'The second editor' });
  await expect(page.getByText('The second editor').first()).toBeVisible();
  await expect(other.getByText('The second editor').first()).toBeVisible();
});
