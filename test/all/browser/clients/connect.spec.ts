import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { freePort } from '../../../kit/net/free-port.ts';
import { expectAccessible } from '../../../kit/ui/axe.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import {
  MODEL,
  SETTINGS,
  SET_LINES,
  withCommas,
  settingsOf,
  writeSettings,
  readSettings,
  openChange,
  chooseModel,
  change,
} from '../../../kit/ui/steps/connect.ts';

test.use({ harnessOptions: { programs: ['claude', 'codex'] } });

const SMALL_MODEL = 'aurora/aurora-small';

/** Counts the texts that are shown. */
async function countShown(texts: readonly Locator[]): Promise<number> {
  const counts = await Promise.all(texts.map(async (text) => await text.count()));
  return counts.reduce((sum, count) => sum + count, 0);
}

function isWide(element: Element): boolean {
  return element.scrollWidth > element.clientWidth;
}

/** Connects Claude Code, and opens the page of its client. */
async function connect(page: Page): Promise<Locator> {
  const dialog = await openChange(page);
  await change(dialog).click();
  await dialog.getByRole('link', { name: 'the page of the client' }).click();
  await expect(dialog).toBeHidden();
  return page.getByRole('complementary', { name: 'Claude Code' });
}

test('a file that was changed after the preview is not overwritten, and the new change is shown', async ({
  page,
  harness,
}) => {
  await writeSettings(harness, SETTINGS);
  await harness.open(page, '/clients');
  const dialog = await openChange(page);
  await expect(change(dialog)).toBeEnabled();
  const changed = SETTINGS.replace('"opus"', '"sonnet"');
  await writeSettings(harness, changed);
  await change(dialog).click();
  await expect(dialog.getByRole('alert')).toContainText('was changed since');
  await expect(dialog.getByRole('group')).toContainText('"model": "sonnet"');
  expect(await readSettings(harness)).toBe(changed);
  await change(dialog).click();
  await expect(dialog.getByText('Claude Code is connected as “Claude Code”')).toBeVisible();
  expect((await readSettings(harness)).replaceAll(SET_LINES, '')).toBe(withCommas(changed));
});

test(
  'two windows that confirm at the same moment make one change',
  { tag: '@browser' },
  async ({ page, context, harness }) => {
    await writeSettings(harness, SETTINGS);
    const other = await context.newPage();
    const pages = [page, other];
    const dialogs: Locator[] = [];
    for (const one of pages) {
      await harness.open(one, '/clients');
      dialogs.push(await openChange(one));
    }
    for (const dialog of dialogs) await expect(change(dialog)).toBeEnabled();
    await Promise.all(dialogs.map(async (dialog) => await change(dialog).click()));
    const made = pages.map((one) => one.getByText('Claude Code is connected as “Claude Code”'));
    const refused = pages.map((one) => one.getByText('another window made the change'));
    await expect.poll(async () => await countShown(made)).toBe(1);
    await expect.poll(async () => await countShown(refused)).toBe(1);
    const { clients } = await harness.calls();
    const names = (await clients.list()).map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('Claude Code'))).toEqual(['Claude Code']);
    expect(await readSettings(harness)).toMatch(/gh-[\w-]{43}/u);
  },
);

test('settings that cannot be parsed are named with their line, and are tried again', async ({
  page,
  harness,
}) => {
  await writeSettings(harness, '{\n  "env": {,\n}\n');
  await harness.open(page, '/clients');
  const dialog = await openChange(page);
  const alert = dialog.getByRole('alert');
  await expect(alert).toContainText(`${settingsOf(harness)}, line 2`);
  await expect(alert).toContainText('Nothing was changed');
  await expect(change(dialog)).toBeDisabled();
  await writeSettings(harness, SETTINGS);
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect(change(dialog)).toBeEnabled();
});

test('what was changed since stays, and another model is written', async ({ page, harness }) => {
  await harness.open(page, '/clients');
  const pane = await connect(page);
  const section = pane.getByRole('region', { name: 'Connected program' });
  const written = await readSettings(harness);
  await writeSettings(harness, written.replace(harness.url, 'http://127.0.0.1:1'));
  await page.reload();
  await expect(section.getByRole('listitem')).toContainText('changed since');
  await section.getByRole('button', { name: 'Disconnect' }).click();
  const question = page.getByRole('dialog', { name: 'Disconnect Claude Code' });
  await expect(question.getByRole('list', { name: 'What stays' })).toContainText(
    'env.ANTHROPIC_BASE_URL',
  );
  await question.getByRole('button', { name: 'Cancel' }).click();
  await section.getByRole('button', { name: 'Change the model' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect a program' });
  await expect(dialog.getByRole('combobox', { name: 'Model', exact: true })).toHaveValue(MODEL);
  await chooseModel(page, 'Model', SMALL_MODEL);
  await change(dialog).click();
  await expect(dialog.getByText('Claude Code is connected as “Claude Code”')).toBeVisible();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(section).toContainText(`uses ${SMALL_MODEL}`);
  expect(await readSettings(harness)).toContain(`"ANTHROPIC_MODEL": "${SMALL_MODEL}"`);
});

test('a key that was replaced is told, and connecting again writes the new one', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/clients');
  const pane = await connect(page);
  await pane.getByRole('button', { name: 'New key' }).click();
  const question = page.getByRole('dialog', { name: 'A new local key for Claude Code' });
  await expect(question).toContainText('The settings of Claude Code keep the old key.');
  await question.getByRole('button', { name: 'Create new key' }).click();
  const shown = page.getByRole('dialog', { name: 'The local key of Claude Code' });
  await shown.getByRole('button', { name: 'I have copied the key' }).click();
  const warning = pane.getByRole('alert').filter({ hasText: 'Claude Code does not get through' });
  await expect(warning).toContainText('a local key that was replaced');
  await expectAccessible(page);
  await warning.getByRole('button', { name: 'Connect again' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect a program' });
  await change(dialog).click();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(warning).toHaveCount(0);
  const localKey = /gh-[\w-]{43}/u.exec(await readSettings(harness))?.[0] ?? '';
  expect((await harness.ask({ localKey })).status).toBe(200);
});

test('a port that was changed is told, and connecting again writes the new address', async ({
  page,
  startHarness,
}) => {
  const harness = await startHarness({
    ownPort: true,
    programs: ['claude'],
    seed: { settings: { port: await freePort() } },
  });
  await harness.open(page, '/clients');
  const pane = await connect(page);
  const before = harness.url;
  const { settings } = await harness.calls();
  const port = await freePort();
  await settings.change({ port });
  const warning = pane.getByRole('alert').filter({ hasText: 'Claude Code does not get through' });
  await expect(warning).toContainText(`${before}, and this Gatehouse is at`);
  await warning.getByRole('button', { name: 'Connect again' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect a program' });
  await change(dialog).click();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(warning).toHaveCount(0);
  expect(await readSettings(harness)).toContain(`"http://127.0.0.1:${port}"`);
});

test('a key that is entered by hand is shown once', async ({ page, startHarness }) => {
  const harness = await startHarness({ programs: ['zed'] });
  await harness.open(page, '/clients');
  await page.getByRole('button', { name: 'Connect a program' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect a program' });
  await dialog.getByRole('button', { name: /^Zed/u }).click();
  await chooseModel(page, 'Model', MODEL);
  await change(dialog).click();
  await expect(dialog).toContainText('The local key to enter in Zed');
  await expectAccessible(page);
  const localKey = (await dialog.getByText(/^gh-[\w-]{43}$/u).textContent()) ?? '';
  expect((await harness.ask({ localKey })).status).toBe(200);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(dialog).toBeHidden();
  expect(await page.content()).not.toContain(localKey);
});

test('a program without a fixed place of its settings gets a folder', async ({ page, harness }) => {
  await harness.open(page, '/clients');
  await page.getByRole('button', { name: 'Connect a program' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect a program' });
  await dialog
    .getByRole('list', { name: 'Not found on this machine' })
    .getByRole('button', { name: 'LibreChat' })
    .click();
  await chooseModel(page, 'Model', MODEL);
  await expect(dialog.getByRole('alert')).toContainText('have no fixed place');
  const folder = dialog.getByRole('textbox', { name: 'Folder' });
  await folder.fill(harness.home);
  await folder.press('Tab');
  await expect(dialog.getByRole('list', { name: 'Files' })).toContainText(
    join(harness.home, 'librechat.yaml'),
  );
  await expect(change(dialog)).toBeEnabled();
});

test('revoking the client puts the settings of its program back', async ({ page, harness }) => {
  await writeSettings(harness, SETTINGS);
  await harness.open(page, '/clients');
  const pane = await connect(page);
  await pane.getByRole('button', { name: 'Revoke' }).click();
  const question = page.getByRole('dialog', { name: 'Revoke Claude Code' });
  await expect(question).toContainText('settings of Claude Code are put back at the same time');
  await question.getByRole('button', { name: 'Revoke' }).click();
  await expect(question).toBeHidden();
  await expect(pane).toContainText('its key no longer works');
  expect(await readSettings(harness)).toBe(SETTINGS);
});

test('a limit is set for a program right after it was connected', async ({ page, harness }) => {
  await writeSettings(harness, SETTINGS);
  await harness.open(page, '/clients');
  const dialog = await openChange(page);
  await change(dialog).click();
  await dialog.getByRole('link', { name: 'Set a limit' }).click();
  const limit = page.getByRole('dialog', { name: 'Limit of Claude Code' });
  await limit.getByRole('textbox', { name: 'At most, in USD' }).fill('$5');
  await limit.getByRole('button', { name: 'Set the limit' }).click();
  await expect(limit).toBeHidden();
  await expect(page.getByRole('region', { name: 'Limits of Claude Code' })).toContainText(
    '$5.00 per day',
  );
  await expect(page).not.toHaveURL(/limit=/u);
});

test('programs are filtered and chosen with the keyboard, also those that are set up by hand', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/clients');
  await page.getByRole('button', { name: 'Connect a program' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Connect a program' });
  const filter = dialog.getByRole('textbox', { name: 'Filter the programs' });
  await expect(filter).toBeFocused();
  await expect(
    dialog.getByRole('list', { name: 'Found on this machine', exact: true }),
  ).toContainText(join(harness.home, 'bin', 'claude'));
  await filter.fill('cursor');
  await expect(dialog.getByRole('list', { name: 'Cannot be connected' })).toContainText(
    'Cursor’s own servers make the call',
  );
  await expect(
    dialog.getByRole('list', { name: 'Found on this machine', exact: true }),
  ).toHaveCount(0);
  await filter.fill('roo');
  await page.keyboard.press('ArrowDown');
  await expect(dialog.getByRole('button', { name: 'Roo Code' })).toBeFocused();
  await page.keyboard.press('Enter');
  const add = page.getByRole('dialog', { name: 'Add a client' });
  await expect(add.getByRole('combobox', { name: 'Program' })).toHaveValue('Roo Code');
  await expect(add.getByRole('textbox', { name: 'Name' })).toHaveValue('Roo Code');
});

test('the palette connects a program, and opens its client afterwards', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/');
  const go = async (words: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('textbox', { name: 'Go to' })).toBeFocused();
    await page.getByRole('textbox', { name: 'Go to' }).fill(words);
  };
  await go('connect claude');
  const action = page.getByRole('button', { name: 'Connect Claude Code' });
  await expect(action).toBeVisible();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Connect a program' });
  await chooseModel(page, 'Model', MODEL);
  await change(dialog).click();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(page).toHaveURL(/\/clients$/u);
  await go('connection claude');
  await page.getByRole('button', { name: 'Open the connection of Claude Code' }).click();
  await expect(page.getByRole('region', { name: 'Connected program' })).toBeVisible();
  await go('connect a program');
  await page.keyboard.press('Enter');
  await expect(
    dialog.getByText(/connected as “Claude Code”, its settings are as Gatehouse wrote them/u),
  ).toBeVisible();
});

test.describe('first steps', () => {
  test.use({ harnessOptions: { programs: ['claude'], setUp: false } });

  test('a program that was found is connected instead of getting a key to copy', async ({
    page,
    harness,
  }) => {
    await harness.open(page, '/welcome');
    await page.getByRole('button', { name: 'Use the sandbox' }).click();
    const found = page.getByRole('list', { name: 'Found on this machine', exact: true });
    await expect(found.getByRole('button')).toHaveText([/^Claude Code/u]);
    const others = page.getByRole('list', { name: 'Not found on this machine' });
    await expect(others).toContainText('LibreChatuntried');
    await expectAccessible(page);
    await harness.ask();
    await found.getByRole('button', { name: /^Claude Code/u }).click();
    const dialog = page.getByRole('dialog', { name: 'Connect Claude Code' });
    // It is the latest that answered.
    await expect(dialog.getByRole('combobox', { name: 'Model', exact: true })).toHaveValue(MODEL);
    await change(dialog).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByText('Claude Code is connected as “Claude Code”')).toBeVisible();
    await expect(page.getByRole('heading', { name: 'The program is connected' })).toBeFocused();
    await expectAccessible(page);
    await page.reload();
    await expect(page.getByText('Claude Code is connected as “Claude Code”')).toBeVisible();
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    const localKey = /gh-[\w-]{43}/u.exec(await readSettings(harness))?.[0] ?? '';
    await harness.ask({ protocol: 'messages', localKey });
    await expect(page.getByRole('status').filter({ hasText: 'It works.' })).toContainText(
      '“Claude Code” sent a request and got an answer.',
    );
  });
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`a narrow window wraps the change, keeps its buttons in view and is accessible, ${colorScheme}`, async ({
    page,
    harness,
  }) => {
    await writeSettings(harness, SETTINGS);
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 420, height: 800 });
    await harness.open(page, '/clients');
    await page.getByRole('button', { name: 'Connect a program' }).click();
    const dialog = page.getByRole('dialog', { name: 'Connect a program' });
    await expect(
      dialog.getByRole('list', { name: 'Found on this machine', exact: true }),
    ).toBeVisible();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: /^Claude Code/u }).click();
    await chooseModel(page, 'Model', MODEL);
    const lines = dialog.getByRole('group', { name: /^Changed lines/u });
    await expect(lines).toBeVisible();
    expect(await lines.evaluate(isWide)).toBe(false);
    await expect(change(dialog)).toBeInViewport();
    expect(await dialog.evaluate(isWide)).toBe(false);
    expect(await page.locator('html').evaluate(isWide)).toBe(false);
    await expectAccessible(page);
    await change(dialog).click();
    await dialog.getByRole('link', { name: 'the page of the client' }).click();
    await expect(page.getByRole('region', { name: 'Connected program' })).toBeVisible();
    expect(await page.locator('html').evaluate(isWide)).toBe(false);
    await expectAccessible(page);
  });
}
