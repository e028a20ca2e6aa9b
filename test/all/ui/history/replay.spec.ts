import { expect, test } from '../../../kit/ui/kit.ts';
import { BODY, openDialog, pickModel } from '../../../kit/ui/steps/replay.ts';

test('a replay is an exchange of its own, and a failure is shown', async ({ page, harness }) => {
  const dialog = await openDialog(page, harness);
  await pickModel(page, dialog.getByRole('button', { name: /^Model: /u }), 'sandbox/error-500');
  await dialog.getByRole('button', { name: 'Send once' }).click();
  const answer = dialog.getByRole('region', { name: 'sandbox/error-500' });
  await expect(answer).toContainText('Error: The server had an error.');
  await answer.getByRole('link', { name: 'Open' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('row', { name: /Replay/u }).first()).toBeVisible();
});

test('cancelling ends the request', async ({ page, harness }) => {
  const dialog = await openDialog(page, harness);
  await pickModel(page, dialog.getByRole('button', { name: /^Model: /u }), 'sandbox/silent-stream');
  await dialog.getByRole('button', { name: 'Send once' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog.getByRole('region', { name: 'sandbox/silent-stream' })).toContainText(
    'Cancelled.',
  );
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('button', { name: 'Send again' })).toBeFocused();
});

test('a request that cannot be sent says why', async ({ page, harness }) => {
  const messages = [{ role: 'user', content: 'Key: sk-ant-api03-'.padEnd(113, 'aB3') + 'AA' }];
  const dialog = await openDialog(page, harness, { ...BODY, messages });
  await expect(dialog).toContainText(/This request cannot be sent again. It has \d masked secret/u);
});
