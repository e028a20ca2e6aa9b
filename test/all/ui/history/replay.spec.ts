import assert from 'node:assert';
import { openSandbox } from '../../../../sandbox/server.ts';
import { NO_PRICES } from '../../../../shared/money/price.ts';
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

test('before a service is asked, the dialog names the cost at each model, and of the first request', async ({
  page,
  harness,
}) => {
  await using service = await openSandbox();
  const { upstreams, prices } = await harness.calls();
  const more = { versionVendor: 'anthropic', caFile: null, proxyUrl: null };
  const form = { name: 'Model gateway', baseUrl: service.url, ...more };
  await upstreams.add({ ...form, key: service.key, place: 'file', use: true, untested: true });
  const tokens = { ...NO_PRICES, input: 1_000_000_000, output: 1_000_000_000 };
  const price = { service: null, validFrom: 0, tiers: [], origin: 'entered' };
  await prices.add({ prices: [{ ...price, model: 'aurora/*', prices: tokens }] });
  const dialog = await openDialog(page, harness);
  await expect(dialog).toContainText(
    /tokens? in and \d+ out, and cost \$[\d.]+ \(from known counts\)/u,
  );
  const cost = dialog.getByText(/^aurora\/aurora-large: about \$[\d.]+ by your prices$/u);
  const before = await cost.textContent();
  assert(before !== null);
  const messages = [{ role: 'user', content: 'Which way is north? '.repeat(900) }];
  await dialog.getByRole('textbox', { name: 'Messages' }).fill(JSON.stringify(messages));
  await expect(cost).not.toHaveText(before);
  await dialog.getByRole('button', { name: 'Add a model' }).click();
  const second = dialog.getByRole('button', { name: 'Model 2: Choose a model' });
  await pickModel(page, second, 'isle/isle-pro');
  await expect(dialog.getByText('isle/isle-pro: no price known – set one')).toBeVisible();
  await expect(dialog.getByText('Together about')).toHaveCount(0);
  await prices.add({ prices: [{ ...price, model: 'isle/*', prices: tokens }] });
  await expect(dialog.getByText(/^isle\/isle-pro: about \$[\d.]+ by your prices$/u)).toBeVisible();
  await expect(dialog.getByText(/^Together about \$[\d.]+ by your prices\.$/u)).toBeVisible();
});
