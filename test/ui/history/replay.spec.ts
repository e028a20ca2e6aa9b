import type { Locator, Page } from '@playwright/test';
import { expectAccessible } from '../kit/axe.ts';
import type { Harness } from '../kit/harness.ts';
import { expect, test } from '../kit/kit.ts';

const QUESTION = 'Which way is north?';
const BODY = {
  model: 'aurora/aurora-large',
  temperature: 1,
  stream: true,
  messages: [{ role: 'user', content: QUESTION }],
};

/** Asks over Chat, and opens the dialog that sends the request again. */
async function openDialog(page: Page, harness: Harness, body: object = BODY): Promise<Locator> {
  const { exchangeId } = await harness.ask({ protocol: 'chat', body });
  await harness.open(page, `/history?exchange=${exchangeId}`);
  await page.getByRole('button', { name: 'Send again' }).click();
  return page.getByRole('dialog', { name: 'Send again' });
}

/** Chooses a model by its id. */
async function pickModel(page: Page, button: Locator, id: string): Promise<void> {
  await button.click();
  await page.getByRole('textbox', { name: 'Find a model' }).fill(id);
  await page.getByRole('option', { name: id }).first().click();
}

test('a request is changed and sent to two models, and the answers are side by side', async ({
  page,
  harness,
}) => {
  const dialog = await openDialog(page, harness);
  await expect(dialog).toContainText('No charge (sandbox).');
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
  await expect(dialog.getByText('This is not valid JSON.')).toBeVisible();
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
