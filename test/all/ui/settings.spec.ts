import type { Page } from '@playwright/test';
import { openSandbox, type Sandbox } from '../../../sandbox/server.ts';
import { freePort } from '../../kit/net/free-port.ts';
import { expectAccessible } from '../../kit/ui/axe.ts';
import { expect, test } from '../../kit/ui/kit.ts';
import { ModelListService } from '../../kit/ui/model-list-service.ts';
import { fillIn, card } from '../../kit/ui/steps/settings.ts';

async function addOffice(page: Page, service: Sandbox): Promise<void> {
  await fillIn(page, service);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
}

test('a typed key leaves the buttons in place, and another name keeps the result of the test', async ({
  harness,
  page,
}) => {
  await using service = await openSandbox();
  await harness.open(page, '/settings');
  await fillIn(page, service, '');
  const dialog = page.getByRole('dialog', { name: 'Add a service' });
  const testButton = dialog.getByRole('button', { name: 'Test' });
  // Waits until the dialog has stopped moving.
  await testButton.click({ trial: true });
  const before = await testButton.boundingBox();
  await dialog.getByRole('textbox', { name: 'Service key' }).fill(service.key);
  expect(await testButton.boundingBox()).toEqual(before);
  await testButton.click();
  await expect(dialog.getByText('It works')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('The other office');
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveValue('The other office');
  await expect(dialog.getByText('It works')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Service key' }).fill('another-key');
  await expect(dialog.getByText('It works')).toBeHidden();
});

test('finding 6: adding a service is all or nothing: a wrong key adds nothing, and a missing keychain is not offered', async ({
  harness,
  page,
}) => {
  await using service = await openSandbox();
  await harness.open(page, '/settings');
  await fillIn(page, service, 'not-the-right-key');
  const dialog = page.getByRole('dialog', { name: 'Add a service' });
  await expect(dialog.getByRole('radio', { name: 'The system keychain' })).toBeDisabled();
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(dialog.getByText('The service refused the service key (401).')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Add anyway' })).toBeVisible();
  const { upstreams } = await harness.calls();
  expect((await upstreams.list()).map(({ kind }) => kind)).toEqual(['sandbox']);
  await dialog.getByRole('textbox', { name: 'Service key' }).fill(service.key);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(card(page, 'The office').getByText('plain text in a file')).toBeVisible();
});

test('a service that is added without a key says that it was not tested, and asks for the key', async ({
  harness,
  page,
}) => {
  await using service = await openSandbox();
  await harness.open(page, '/settings');
  await fillIn(page, service, '');
  const dialog = page.getByRole('dialog', { name: 'Add a service' });
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(page.getByText('was added, but not tested. Enter its key next.')).toBeVisible();
  await expect(page.getByText('The office: no key')).toBeVisible();
  await page.getByRole('link', { name: 'Home' }).click();
  const alarms = page.getByRole('region', { name: 'Needs attention' });
  await expect(alarms.getByText('No service key can be used')).toBeVisible();
  await expect(alarms.getByText('No service key was found for')).toBeVisible();
});

test('finding 7: a service that nobody has asked yet has a grey dot, until something answered', async ({
  harness,
  page,
}) => {
  await using service = await ModelListService.open([{ id: 'office/one' }]);
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  service.ready = promise;
  const { upstreams } = await harness.calls();
  const more = { versionVendor: 'anthropic', caFile: null, proxyUrl: null };
  const form = { name: 'The office', baseUrl: service.url, ...more };
  await upstreams.add({ ...form, key: 'a-service-key', place: 'file', use: true, untested: true });
  await harness.open(page, '/settings');
  const foot = page.getByRole('link', { name: 'The office' });
  await expect(foot.locator('[data-tone]')).toHaveAttribute('data-tone', 'none');
  answer();
  await expect(foot.locator('[data-tone]')).toHaveAttribute('data-tone', 'good');
});

test('invalid values are shown at their fields, also in the collapsed part', async ({
  harness,
  page,
}) => {
  await using service = await openSandbox();
  await harness.open(page, '/settings');
  await page.getByRole('button', { name: 'Add a service' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(dialog.getByText('Enter the address of the service.')).toBeVisible();
  const address = dialog.getByRole('textbox', { name: 'Base address' });
  const fill = async (text: string) => {
    await address.fill(text);
    // The message goes away, and what is below it moves.
    await expect(address).not.toHaveAttribute('aria-invalid', 'true');
  };
  await fill(harness.url);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(address).toHaveAttribute('aria-invalid', 'true');
  await fill(service.url);
  await dialog.getByRole('button', { name: 'Connection' }).click();
  await dialog.getByRole('textbox', { name: 'Additional certificates' }).fill('/not/there.pem');
  await dialog.getByRole('button', { name: 'Connection' }).click();
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  const certificates = dialog.getByRole('textbox', { name: 'Additional certificates' });
  await expect(certificates).toBeVisible();
  await expect(certificates).toHaveAttribute('aria-invalid', 'true');
});

test('a service is edited, replaced by the sandbox, and removed with its key', async ({
  harness,
  page,
}) => {
  await using service = await openSandbox();
  await harness.open(page, '/settings');
  await addOffice(page, service);
  await page.getByRole('button', { name: 'More for The office' }).click();
  await page.getByRole('menuitem', { name: 'Edit…' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('The lab');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(card(page, 'The lab')).toBeVisible();
  await page.getByRole('button', { name: 'Use Sandbox' }).click();
  await expect(card(page, 'Sandbox').getByText('In use')).toBeVisible();
  await page.getByRole('button', { name: 'Use The lab' }).click();
  await page.getByRole('button', { name: 'More for The lab' }).click();
  await page.getByRole('menuitem', { name: 'Remove…' }).click();
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(card(page, 'The lab')).toBeHidden();
  await expect(card(page, 'Sandbox').getByText('In use')).toBeVisible();
});

test('a service key is tested, replaced and forgotten, and never shown', async ({
  harness,
  page,
}) => {
  await using service = await openSandbox();
  await harness.open(page, '/settings');
  await addOffice(page, service);
  const office = card(page, 'The office');
  await office.getByRole('button', { name: 'Test' }).click();
  await expect(office.getByText('It works')).toBeVisible();
  await office.getByRole('button', { name: 'Replace…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('Enter the service key.')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Service key' }).fill('another-key-that-is-wrong');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  await harness.ask();
  await expect(office.getByText('The service refused it')).toBeVisible();
  expect(await page.content()).not.toContain('another-key-that-is-wrong');
  await office.getByRole('button', { name: 'Forget…' }).click();
  await dialog.getByRole('button', { name: 'Forget the key' }).click();
  await expect(office.getByText('No service key')).toBeVisible();
  await expect(office.getByRole('button', { name: /^Enter/u })).toBeVisible();
});

test('another port is opened and shown, and one in use is refused at the field', async ({
  page,
  startHarness,
}) => {
  const harness = await startHarness({
    ownPort: true,
    seed: { settings: { port: await freePort() } },
  });
  await harness.open(page, '/settings');
  const port = page.getByRole('textbox', { name: 'Port' });
  const save = page.getByRole('button', { name: 'Save the port' });
  await port.fill('70000');
  await save.click();
  await expect(page.getByText('A port is a number from 1 to 65535.')).toBeVisible();
  await port.fill(new URL(harness.windowUrl).port);
  await save.click();
  await expect(port).toHaveAttribute('aria-invalid', 'true');
  const next = await freePort();
  await port.fill(String(next));
  await save.click();
  await expect(page.getByText(`Port ${next} is open`)).toBeVisible();
  await expect(page.getByText(`http://127.0.0.1:${next}/v1`)).toBeVisible();
  const answer = await fetch(`http://127.0.0.1:${next}/v1/models`);
  expect(answer.status).toBe(401);
});

test(
  'settings from the command line are disabled and say why',
  { tag: '@browser' },
  async ({ page, startHarness }) => {
    const harness = await startHarness({ args: ['--strict', '--sandbox'] });
    await harness.open(page, '/settings');
    await expect(page.getByRole('textbox', { name: 'Port' })).toBeDisabled();
    await expect(page.getByRole('switch', { name: 'Repairs' })).toBeDisabled();
    for (const flag of ['--port', '--strict', '--sandbox']) {
      await expect(page.getByText(flag).first()).toBeVisible();
    }
  },
);

test('repairs are switched off and on for the next request', async ({ harness, page }) => {
  await harness.open(page, '/settings');
  const wrong = { path: '/v1/chat/completions/v1/chat/completions' };
  const repairs = page.getByRole('switch', { name: 'Repairs' });
  await repairs.press('Space');
  await expect(repairs).not.toBeChecked();
  expect((await harness.ask(wrong)).status).toBe(404);
  await repairs.press('Space');
  await expect(repairs).toBeChecked();
  expect((await harness.ask(wrong)).status).toBe(200);
});

test('the retention time is validated, warned about and saved', async ({ harness, page }) => {
  await harness.open(page, '/settings');
  const days = page.getByRole('textbox', { name: 'Days to keep exchanges' });
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await days.fill('0');
  await save.click();
  await expect(page.getByText('At least one day.')).toBeVisible();
  await days.fill('');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(days).toHaveAccessibleDescription('Enter a number of days.');
  await days.fill('30');
  await expect(page.getByText('older than 30 days are deleted when you save')).toBeVisible();
  await save.click();
  await expect(save).toBeHidden();
  await page.reload();
  await expect(days).toHaveValue('30 days');
});

test('the maximum size of the history is validated, warned about and saved', async ({
  harness,
  page,
}) => {
  await harness.open(page, '/settings');
  const most = page.getByRole('textbox', { name: 'Maximum size of the database in MiB' });
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await expect(most).toHaveValue('2048 MiB');
  await expect(page.getByText(/It is now [\d.]+ [KM]iB\./u)).toBeVisible();
  await expect(page.getByText('Chat keeps its own conversations, in chat.db')).toBeVisible();
  await most.fill('1');
  await save.click();
  await expect(most).toHaveAccessibleDescription('At least 64 MiB.');
  await most.fill('512');
  await expect(page.getByText('beyond 512 MiB are deleted when you save')).toBeVisible();
  await save.click();
  await expect(save).toBeHidden();
  await page.reload();
  await expect(most).toHaveValue('512 MiB');
});

test('the history is erased after a confirmation', async ({ harness, page }) => {
  await harness.ask();
  await harness.ask();
  await harness.open(page, '/settings');
  await expect(page.getByText('2 exchanges, the oldest')).toBeVisible();
  await page.getByRole('button', { name: 'Erase…' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByText('2 exchanges, the oldest')).toBeVisible();
  await page.getByRole('button', { name: 'Erase…' }).click();
  await page.getByRole('button', { name: 'Delete 2 exchanges' }).click();
  await expect(page.getByText('0 exchanges. Everything stays')).toBeVisible();
});

test('the appearance survives a reload', async ({ harness, page }) => {
  await harness.open(page, '/settings');
  const scheme = page.locator('html');
  await page.getByText('Dark', { exact: true }).click();
  await expect(scheme).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await page.reload();
  await expect(scheme).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await page.getByText('System', { exact: true }).click();
  await page.emulateMedia({ colorScheme: 'light' });
  await expect(scheme).toHaveAttribute('data-mantine-color-scheme', 'light');
});

test('the data folder and the diagnostics can be copied and hold no secret', async ({
  harness,
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await harness.open(page, '/settings');
  await expect(page.getByText(harness.dataDir)).toBeVisible();
  await expect(page.getByRole('row', { name: /gatehouse\.db \d/u })).toBeVisible();
  const shown = await page
    .getByRole('region', { name: 'Diagnostics text' })
    .locator('pre')
    .innerText();
  await page.getByRole('button', { name: 'Copy this text' }).click();
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
  const copied = await page.evaluate(async () => await navigator.clipboard.readText());
  expect(copied.trim()).toBe(shown.trim());
  expect(copied).not.toContain(harness.localKey);
});

test(
  'a link of the contents opens its section by keyboard once it is loaded',
  { tag: '@browser' },
  async ({ harness, page }) => {
    const { promise: read, resolve } = Promise.withResolvers<void>();
    await page.route('**/rpc/settings/get', async (route) => {
      await read;
      await route.continue();
    });
    await harness.open(page, '/settings');
    const section = page.getByRole('heading', { name: 'Diagnostics' });
    await expect(section).toBeVisible();
    const link = page
      .getByRole('navigation', { name: 'Settings' })
      .getByRole('button', { name: 'Diagnostics' });
    await expect(link, 'a place that the settings would push away').toHaveCount(0);
    resolve();
    await link.press('Enter');
    await expect(section).toBeInViewport();
  },
);
