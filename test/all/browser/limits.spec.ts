import { expectAccessible } from '../../kit/ui/axe.ts';
import { expect, test } from '../../kit/ui/kit.ts';
import type { SeedOptions } from '../../kit/ui/seed/data-folder.ts';

test('a client is limited to some models, and may use all again', async ({ page, harness }) => {
  const calls = await harness.calls();
  const { key } = await calls.clients.add({ name: 'Claude Code', expiresAt: null });
  await harness.open(page, '/clients');
  await page.getByRole('button', { name: 'Claude Code', exact: true }).click();
  const models = page.getByRole('combobox', { name: 'Models that it may use' });
  await models.fill('aurora/*');
  await models.press('Enter');
  await expect
    .poll(
      async () => (await calls.clients.list()).find(({ name }) => name === 'Claude Code')?.models,
    )
    .toEqual(['aurora/*']);
  await models.blur();
  await expectAccessible(page);
  expect((await harness.ask({ localKey: key, model: 'ember-mini' })).status).toBe(403);
  expect((await harness.ask({ localKey: key, model: 'aurora/aurora-large' })).status).toBe(200);
  await models.press('Backspace');
  await expect
    .poll(
      async () => (await calls.clients.list()).find(({ name }) => name === 'Claude Code')?.models,
    )
    .toBeNull();
});

test('a limit of all clients is set from the list of clients', async ({ page, harness }) => {
  await harness.ask();
  await harness.open(page, '/clients');
  await page.getByRole('button', { name: 'Limits for all clients together' }).click();
  await page.getByRole('button', { name: 'Set a limit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Limit of all clients', exact: true });
  await expect(dialog.getByLabel('At most, in USD')).toBeVisible();
  const rolling = dialog.getByLabel('Count the last 24 hours instead of the calendar day');
  await expect(rolling).not.toBeChecked();
  await expect(dialog).toContainText('The sandbox counts made-up prices');
  const amount = dialog.getByRole('textbox', { name: 'At most' });
  for (const text of ['1,000', '-5', '0', 'five']) {
    await amount.fill(text);
    await expect(dialog).toContainText('An amount such as 3, 0.25 or 1500, without a comma.');
    await expect(dialog.getByRole('button', { name: 'Set the limit' })).toBeDisabled();
  }
  await amount.fill('5');
  await dialog.getByRole('button', { name: 'Set the limit' }).click();
  await expect(page.getByRole('region', { name: 'Limits of all clients' })).toContainText(
    '$5.00 per day',
  );
  // The next one is proposed like it, over another period.
  await page.getByRole('button', { name: 'Set a limit' }).click();
  await expect(dialog.getByRole('combobox', { name: 'Limit' })).toHaveValue('Money');
  await expect(dialog.getByRole('combobox', { name: 'Per' })).toHaveValue('Month');
  await dialog.getByRole('combobox', { name: 'Per' }).click();
  await page.getByRole('option', { name: 'Day', exact: true }).click();
  await expect(dialog).toContainText('It replaces the limit of $5.00 per day.');
});

test('a limit for each run is set, and the run that reaches it is named', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/clients');
  await page.getByRole('button', { name: 'Limits for all clients together' }).click();
  await page.getByRole('button', { name: 'Set a limit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Limit of all clients', exact: true });
  const choose = async (label: string, option: string) => {
    await dialog.getByRole('combobox', { name: label }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  await choose('Limit', 'Sub-agents at once');
  await expect(dialog.getByRole('combobox', { name: 'Per' })).toHaveCount(0);
  await choose('Limit', 'Requests at once');
  await dialog.getByRole('switch', { name: 'Count each run of an agent by itself' }).press('Space');
  await choose('Limit', 'Requests');
  await choose('Per', 'Run of an agent');
  await expect(dialog).toContainText('A run is one task of an agent');
  await expect(dialog).toContainText('What a run used before you set the limit counts, too.');
  await expect(dialog.getByText(/Count the last/u)).toHaveCount(0);
  await expectAccessible(page);
  await dialog.getByRole('textbox', { name: 'At most' }).fill('1');
  await dialog.getByRole('button', { name: 'Set the limit' }).click();
  await expect(dialog).toHaveCount(0);
  const headers = { 'x-claude-code-session-id': 's1' };
  expect((await harness.ask({ headers })).status).toBe(200);
  expect((await harness.ask({ headers })).status).toBe(402);
  const section = page.getByRole('region', { name: 'Limits of all clients' });
  await expect(section).toContainText('1 request per run');
  await section.getByRole('link', { name: /^run-[\da-f]{16}$/u }).click();
  await expect(page.getByRole('link', { name: 'All requests of this run' })).toBeVisible();
  const { exchangeId } = await harness.ask({ headers });
  await harness.open(page, `/history?exchange=${exchangeId}`);
  await page
    .getByRole('alert')
    .getByRole('link', { name: 'Show all requests of this run' })
    .click();
  await expect(page).toHaveURL(/filter=run/u);
});

test('a refused exchange leads to the limit of its client', async ({ page, harness }) => {
  const calls = await harness.calls();
  const { client, key } = await calls.clients.add({ name: 'Claude Code', expiresAt: null });
  const limit = { measure: 'requests', amount: 1, period: 'day', rolling: false } as const;
  await calls.clients.limits.set({ ...limit, clientId: client.id });
  await calls.clients.limits.set({ ...limit, clientId: null });
  await harness.ask({ localKey: key });
  const { status, exchangeId } = await harness.ask({ localKey: key });
  expect(status).toBe(402);
  await harness.open(page, `/history?exchange=${exchangeId}`);
  await page.getByRole('link', { name: 'Show this limit' }).click();
  const section = page.getByRole('region', { name: 'Limits of Claude Code' });
  const menu = section.getByRole('button', { name: 'Actions of the limit of 1 request per day' });
  await expect(menu).toBeFocused();
  await expect(section).toContainText('A limit for all clients together is reached');
  const all = page.getByRole('button', { name: 'Limits for all clients together' });
  await expect(all).toContainText('limit reached');
});

const more: SeedOptions['more'] = async ({ clients }) => {
  await clients.addTemporaryKey('Script (run)', 60_000);
};

test.describe('with a client that run added', () => {
  test.use({ harnessOptions: { seed: { more } } });

  test('the client has no key to paste', async ({ page, harness }) => {
    await harness.open(page, '/clients');
    const row = page.getByRole('row').filter({ hasText: 'Script (run)' });
    await expect(row).toContainText('not connected');
    await row.getByRole('button').click();
    const pane = page.getByRole('complementary', { name: 'Script (run)' });
    await expect(pane).toContainText('there is no key to paste');
    await expect(pane.getByRole('region', { name: 'Program settings' })).toHaveCount(0);
  });
});

test('the row of a client shows the limit that is nearest to its end, how many more there are, and that one is reached', async ({
  page,
  harness,
}) => {
  const calls = await harness.calls();
  const { client, key } = await calls.clients.add({ name: 'Claude Code', expiresAt: null });
  const common = { clientId: client.id, measure: 'requests', rolling: false } as const;
  await calls.clients.limits.set({ ...common, amount: 10, period: 'month' });
  await calls.clients.limits.set({ ...common, amount: 4, period: 'day' });
  await calls.clients.limits.set({ ...common, measure: 'tokens', amount: 1, period: 'week' });
  await harness.open(page, '/clients');
  const row = page.getByRole('row').filter({ hasText: 'Claude Code' });
  await expect(row).toContainText('+ 2 more');
  expect((await harness.ask({ localKey: key })).status).toBe(402);
  // Nothing of it is used: the request needs more than all of it.
  await expect(row).toContainText('1 token per week+ 2 more');
  await expect(row.getByText('limit reached', { exact: true })).toBeVisible();
  await calls.clients.limits.set({ ...common, measure: 'tokens', amount: 1e6, period: 'week' });
  await calls.clients.limits.set({ ...common, amount: 1, period: 'run' });
  const headers = { 'x-claude-code-session-id': 's1' };
  expect((await harness.ask({ localKey: key, headers })).status).toBe(200);
  expect((await harness.ask({ localKey: key, headers })).status).toBe(402);
  await expect(row.getByText('limit of a run reached')).toBeVisible();
  await expect(row).toContainText('1 request per run+ 3 more');
});

test('Home says when 80 percent of a limit are used, and when it is used up', async ({
  page,
  harness,
}) => {
  const calls = await harness.calls();
  await calls.clients.limits.set({
    clientId: null,
    measure: 'requests',
    amount: 5,
    period: 'day',
    rolling: false,
  });
  for (let sent = 0; sent < 4; sent += 1) await harness.ask();
  await harness.open(page, '/');
  const panel = page.getByRole('region', { name: 'Needs attention' });
  await expect(panel).toContainText('80% of the limit of all clients is used');
  await panel
    .getByRole('button', { name: /^Keep the limit, and dismiss this until it happens again: 80%/u })
    .click();
  await expect(panel).toHaveCount(0);
  await harness.ask();
  await expect(panel).toContainText('The limit of all clients is used up');
  await expect(panel).toContainText('5 requests of 5 requests per day are used.');
  expect((await harness.ask()).status).toBe(402);
  await panel.getByRole('button', { name: 'Allow one more request' }).click();
  await expect.poll(async () => (await harness.ask()).status).toBe(200);
  expect((await harness.ask()).status).toBe(402);
  await panel.getByRole('button', { name: 'Allow all for an hour' }).click();
  await expect.poll(async () => (await harness.ask()).status).toBe(200);
  expect((await harness.ask()).status).toBe(200);
});

test('Home leads to a limit of money, and says how much of it is used', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/');
  await page.getByRole('link', { name: 'Set a limit' }).click();
  await expect(page.getByRole('button', { name: 'Limits for all clients together' })).toBeVisible();
  const { clients } = await harness.calls();
  const limit = { clientId: null, measure: 'money', rolling: false } as const;
  await clients.limits.set({ ...limit, amount: 1_000_000_000, period: 'day' });
  await page.keyboard.press('g');
  await page.keyboard.press('h');
  await expect(page.getByRole('link', { name: 'A limit of money: 0% used' })).toBeVisible();
  await clients.limits.set({ ...limit, amount: 1, period: 'week' });
  await expect(
    page.getByRole('link', { name: /^2 limits of money: at most \d+% used$/u }),
  ).toBeVisible();
});

test('a limit is raised on Home, and its notice goes away', async ({ page, harness }) => {
  const calls = await harness.calls();
  const kind = { clientId: null, measure: 'requests', period: 'day', rolling: false } as const;
  await calls.clients.limits.set({ ...kind, amount: 1 });
  await harness.ask();
  expect((await harness.ask()).status).toBe(402);
  await harness.open(page, '/');
  const panel = page.getByRole('region', { name: 'Needs attention' });
  await panel.getByRole('button', { name: 'Raise…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Limit of all clients' });
  await expect(dialog).toContainText('Used today: 1 request.');
  await expect(dialog).toContainText(
    'The request that it refused last needs about 1 request: it passes from 2 requests on.',
  );
  const amount = dialog.getByRole('textbox', { name: 'At most' });
  await expect(amount).toHaveValue('2');
  await amount.fill('10');
  await dialog.getByRole('button', { name: 'Set the limit' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(panel).toHaveCount(0);
  expect((await harness.ask()).status).toBe(200);
});

test('a dialog of the details stays open with what was typed when the page gets narrower and wider', async ({
  page,
  harness,
}) => {
  const calls = await harness.calls();
  const { client } = await calls.clients.add({ name: 'Claude Code', expiresAt: null });
  await page.setViewportSize({ width: 1100, height: 800 });
  await harness.open(page, '/clients');
  await page.getByRole('button', { name: client.name, exact: true }).click();
  await page.getByRole('button', { name: 'Set a limit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Limit of Claude Code', exact: true });
  const amount = dialog.getByRole('textbox', { name: 'At most' });
  await amount.fill('5');
  const details = page.getByRole('dialog', { name: 'Claude Code', exact: true });
  await page.setViewportSize({ width: 900, height: 800 });
  await expect(details).toBeVisible();
  await expect(amount).toBeFocused();
  await page.setViewportSize({ width: 1100, height: 800 });
  await expect(details).toBeHidden();
  await expect(amount).toBeFocused();
  await page.setViewportSize({ width: 900, height: 800 });
  await expect(details).toBeVisible();
  await expect(amount).toHaveValue('5');
  await dialog.getByRole('button', { name: 'Set the limit' }).click();
  await expect(dialog).toBeHidden();
  await expect(details).toContainText('$5.00 per day');
  await page.keyboard.press('Escape');
  await expect(details).toBeHidden();
});
