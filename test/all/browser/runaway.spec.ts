import { openSandbox, type Sandbox } from '../../../sandbox/server.ts';
import { readLoopFixture, ToolLoop } from '../../kit/history/tool-loop.ts';
import { expectAccessible } from '../../kit/ui/axe.ts';
import type { Harness } from '../../kit/ui/harness.ts';
import { expect, test } from '../../kit/ui/kit.ts';

/** Uses a service whose model repeats a call, and lets an agent of the client “Claude Code” follow it until that is noticed. */
async function startLoop(
  harness: Pick<Harness, 'calls' | 'url'>,
  service: Sandbox,
): Promise<ToolLoop> {
  const { clients, settings, upstreams } = await harness.calls();
  const more = { versionVendor: 'anthropic', caFile: null, proxyUrl: null };
  const form = { name: 'Loops', baseUrl: service.url, ...more };
  await upstreams.add({ ...form, key: service.key, place: 'file', use: true, untested: true });
  await settings.change({ runawayRepeats: 4 });
  const { key } = await clients.add({ name: 'Claude Code', expiresAt: null });
  const loop = new ToolLoop(harness.url, key);
  await loop.ask('again');
  for (let turn = 1; turn < 4; turn += 1) await loop.goOn('again');
  return loop;
}

test('Home asks about an agent that repeats a call; it is stopped there, and goes on from there', async ({
  page,
  harness,
}) => {
  await using service = await openSandbox({ fixture: readLoopFixture() });
  const loop = await startLoop(harness, service);
  await harness.open(page, '/');
  const panel = page.getByRole('region', { name: 'Needs attention' });
  await expect(panel).toContainText('The agent of “Claude Code” may be running away');
  await expect(panel).toContainText('It called bash with the same arguments 4 times in a row.');
  await expectAccessible(page);
  await panel.getByRole('button', { name: 'Stop it' }).click();
  await expect(panel).toContainText('“Claude Code” was stopped');
  await expect(panel.getByRole('button', { name: 'Stop it' })).toHaveCount(0);
  const refused = await loop.goOn('again');
  expect(refused.status).toBe(402);
  await panel.getByRole('button', { name: 'Let it go on' }).click();
  await expect(panel).toHaveCount(0);
  expect((await loop.goOn('again')).status).toBe(200);
});

test('the alarm leads to the run, and “Let it go on” begins its counts anew', async ({
  page,
  harness,
}) => {
  await using service = await openSandbox({ fixture: readLoopFixture() });
  const loop = await startLoop(harness, service);
  await harness.open(page, '/');
  const panel = page.getByRole('region', { name: 'Needs attention' });
  await panel.getByRole('link', { name: 'Show the run' }).click();
  await expect(page).toHaveURL(/\/history\/runs\?run=run-/u);
  await expect(page.getByText('again').first()).toBeVisible();
  await page.goBack();
  await panel.getByRole('button', { name: 'Let it go on' }).click();
  await expect(panel).toHaveCount(0);
  for (let turn = 1; turn <= 4; turn += 1) expect((await loop.goOn('again')).status).toBe(200);
  await expect(panel).toContainText('4 times in a row.');
});

test('Settings change what is done about it and when, and name a number that is out of range', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/settings');
  const section = page.getByRole('region', { name: 'Agents that run away' });
  await section.getByText('Stop it', { exact: true }).click();
  await section.getByRole('textbox', { name: 'Equal tool calls in a row' }).fill('1');
  await section.getByRole('textbox', { name: 'Sub-agents without a person' }).fill('7');
  await section.getByRole('textbox', { name: 'Minutes without a person' }).fill('45');
  await section.getByRole('button', { name: 'Save when an agent runs away' }).click();
  await expect(section).toContainText('At least two.');
  await section.getByRole('textbox', { name: 'Equal tool calls in a row' }).fill('12');
  await expectAccessible(page);
  await section.getByRole('button', { name: 'Save when an agent runs away' }).click();
  await expect(page.getByText('Saved.')).toBeVisible();
  const { settings } = await harness.calls();
  expect((await settings.get()).settings).toMatchObject({
    runawayAction: 'stop',
    runawayRepeats: 12,
    runawayAgents: 7,
    runawayRequests: 100,
    runawayMinutes: 45,
  });
  await section.getByText('Nothing', { exact: true }).click();
  await expect(section.getByRole('textbox')).toHaveCount(0);
});

test('a client is stopped from its details, shown stopped, and goes on', async ({
  page,
  harness,
}) => {
  const calls = await harness.calls();
  const { key } = await calls.clients.add({ name: 'Claude Code', expiresAt: null });
  await harness.open(page, '/clients');
  await page.getByRole('button', { name: 'Claude Code', exact: true }).click();
  await page.getByRole('button', { name: 'Stop it' }).click();
  await expect(page.getByRole('table', { name: 'Clients' })).toContainText('stopped');
  expect((await harness.ask({ localKey: key })).status).toBe(402);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Let it go on' }).click();
  await expect(page.getByRole('table', { name: 'Clients' })).not.toContainText('stopped');
  expect((await harness.ask({ localKey: key })).status).toBe(200);
});
