import { expectAccessible } from '../../../kit/ui/axe.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import { openDialog, pickModel } from '../../../kit/ui/steps/replay.ts';

test('a request is changed and sent to two models, and the answers are side by side', async ({
  page,
  harness,
}) => {
  const dialog = await openDialog(page, harness);
  await expect(dialog).toContainText(/: about \$[\d.]+ \(sandbox, not charged\)/u);
  const first = dialog.getByRole('region', { name: 'First answer' });
  await expect(first).toContainText('standing in for aurora/aurora-large');
  await dialog.getByRole('button', { name: 'Add a model' }).click();
  const send = dialog.getByRole('button', { name: /^Send once/u });
  await expect(send).toBeDisabled();
  await pickModel(
    page,
    dialog.getByRole('button', { name: 'Model 2: Choose a model' }),
    'isle/isle-pro',
  );
  const messages = dialog.getByRole('textbox', { name: 'Messages' });
  await messages.fill('[{"role":"user","content":"Which way is south?"}');
  await expect(
    dialog.getByText(/^This is not valid JSON: see line 1, column \d+\.$/u),
  ).toBeVisible();
  await expect(send).toBeDisabled();
  await messages.fill('[{"role":"user","content":"Which way is south?"}]');
  await send.click();
  const other = dialog.getByRole('region', { name: 'isle/isle-pro' });
  await expect(other).toContainText('You said: “Which way is south?”');
  await expect(dialog.getByRole('region', { name: 'aurora/aurora-large' })).toContainText('south');
  await expect(first).toContainText('north');
  await expectAccessible(page);
  await other.getByRole('link', { name: 'Compare with the first' }).click();
  await expect(page).toHaveURL(/\/history\/compare\?left=ex-\w+&right=ex-/u);
  await expect(page.getByRole('insertion').filter({ hasText: 'south' }).first()).toBeVisible();
});
