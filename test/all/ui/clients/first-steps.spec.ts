import type { Page } from '@playwright/test';
import { expectAccessible } from '../../../kit/ui/axe.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import { connect as connectByHand, pick } from '../../../kit/ui/steps/first-steps.ts';

test.use({ harnessOptions: { programs: ['claude', 'codex', 'goose'], setUp: false } });

const MODEL = 'aurora/aurora-large';
const CHANGE = 'Make this change';

/** Connects the program that was picked. */
async function connect(page: Page, program: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: `Connect ${program}` });
  await dialog.getByRole('combobox', { name: 'Model', exact: true }).fill(MODEL);
  await page.getByRole('option', { name: MODEL, exact: true }).click();
  await dialog.getByRole('button', { name: CHANGE }).click();
  await expect(dialog).toBeHidden();
}

test('a program is set up by hand as the second choice, and a later connection takes its unused client over', async ({
  page,
  harness,
}) => {
  await harness.open(page);
  await page.getByRole('button', { name: 'Use the sandbox' }).click();
  await connectByHand(page, 'Codex');
  const note = page.getByRole('alert').filter({ hasText: 'The local key of Codex' });
  await expect(note).toBeVisible();
  await page.getByRole('button', { name: 'Connect another program' }).click();
  await pick(page, 'Codex');
  await connect(page, 'Codex');
  await expect(page.getByText('Codex is connected as “Codex”', { exact: true })).toBeVisible();
  const { clients } = await harness.calls();
  const names = (await clients.list()).map(({ name }) => name);
  expect(names.filter((name) => name.startsWith('Codex'))).toEqual(['Codex']);
  await page.reload();
  await expect(page.getByText('Restart Codex if it is running.')).toBeVisible();
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await expect(page.getByText('Restart Codex if it is running. Ask something')).toBeVisible();
  await expect(page.getByText('Waiting for the first request…')).toBeVisible();
  await expectAccessible(page);
});

test('Enter chooses the first program found, and one without steps by hand is connected, too', async ({
  page,
  harness,
}) => {
  await harness.open(page);
  await page.getByRole('button', { name: 'Use the sandbox' }).click();
  await pick(page, 'Goose');
  const dialog = page.getByRole('dialog', { name: 'Connect Goose' });
  await expect(dialog.getByRole('button', { name: 'Make this change' })).toBeInViewport();
  await expect(dialog.getByRole('button', { name: 'Set it up by hand' })).toHaveCount(0);
  await connect(page, 'Goose');
  await page.reload();
  await expect(page.getByText('Goose is connected as “Goose”')).toBeVisible();
  await page.getByRole('button', { name: 'Connect another program' }).click();
  const filter = page.getByRole('textbox', { name: 'Filter the programs' });
  await filter.fill('claude');
  await filter.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Connect Claude Code' })).toBeVisible();
});

test('a program that is connected already is used as it is', async ({ page, harness }) => {
  const { connections } = await harness.calls();
  const choice = { program: 'claude-code', model: MODEL } as const;
  const { token } = await connections.preview(choice);
  await connections.connect({ ...choice, token });
  await harness.open(page);
  await page.getByRole('button', { name: 'Use the sandbox' }).click();
  const found = page.getByRole('list', { name: 'Found on this machine', exact: true });
  await expect(found).toContainText('connected as “Claude Code”');
  await expectAccessible(page);
  await pick(page, 'Claude Code');
  await expect(page.getByText('Claude Code is connected as “Claude Code”')).toBeVisible();
});

test('a request that was answered while another screen was open ends the first steps', async ({
  page,
  harness,
}) => {
  await harness.open(page);
  await page.getByRole('button', { name: 'Use the sandbox' }).click();
  await page.getByRole('button', { name: 'Skip this step' }).click();
  await expect(page.getByText('Waiting for the first request…')).toBeVisible();
  await page.getByRole('link', { name: 'History', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'History' })).toBeVisible();
  expect((await harness.ask()).status).toBe(200);
  const exchanges = page.getByRole('grid', { name: 'Exchanges' });
  await expect(exchanges.getByRole('row').filter({ hasText: 'First client' })).toBeVisible();
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await expect(page.getByText('It works.', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Home' })).toBeVisible();
});

test('a request from before a restart ends the first steps', async ({ page, harness }) => {
  expect((await harness.ask()).status).toBe(200);
  await harness.stop();
  await harness.start();
  await harness.open(page);
  await page.getByRole('button', { name: 'Use the sandbox' }).click();
  await page.getByRole('button', { name: 'Skip this step' }).click();
  await expect(page.getByText('It works.', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Done' })).toBeVisible();
});

test('a request of another client ends the first steps, and the failure of the chosen one stays', async ({
  page,
  harness,
}) => {
  await harness.open(page);
  await page.getByRole('button', { name: 'Use the sandbox' }).click();
  await connectByHand(page, 'Zed');
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Send a first request' })).toBeVisible();
  await harness.ask({ localKey: 'gh-something-else-entirely' });
  const failed = page.getByRole('status').filter({ hasText: 'The request failed.' });
  await expect(failed).toBeVisible();
  await expect(page.getByRole('button', { name: 'Finish without a test' })).toBeVisible();
  expect((await harness.ask()).status).toBe(200);
  await expect(page.getByRole('button', { name: 'Done' })).toBeVisible();
  await expect(failed).toBeVisible();
  await expect(page.getByRole('button', { name: 'Skip', exact: true })).toHaveCount(0);
});
