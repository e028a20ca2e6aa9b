import { expectAccessible } from '../../../kit/ui/axe.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import { row, open, chooseProgram, add } from '../../../kit/ui/steps/clients.ts';

test('explains an empty, taken or two-line name at the field', async ({ page, harness }) => {
  await harness.open(page, '/clients');
  await page.getByRole('button', { name: 'Add a client' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a client' });
  const name = dialog.getByRole('textbox', { name: 'Name' });
  await dialog.getByRole('button', { name: 'Create local key' }).click();
  await expect(dialog.getByText('Pick a program.')).toBeVisible();
  await chooseProgram(page, 'Aider');
  await name.fill('');
  await page.keyboard.press('Enter');
  await expect(name).toHaveAccessibleDescription(/Enter a name for the client\./u);
  await name.fill('x'.repeat(65));
  await page.keyboard.press('Enter');
  await expect(name).toHaveAccessibleDescription(/at most 64/u);
  await name.fill('first CLIENT');
  await page.keyboard.press('Enter');
  await expect(name).toHaveAccessibleDescription(/First client|already|taken/iu);
});

test('renames a client, whose key keeps working', async ({ page, harness }) => {
  await harness.open(page, '/clients');
  await open(page, 'First client');
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Editor');
  await page.keyboard.press('Enter');
  await expect(row(page, 'Editor')).toBeVisible();
  await expect(row(page, 'First client')).toHaveCount(0);
  expect((await harness.ask()).status).toBe(200);
});

test('replaces a key after a confirmation', async ({ page, harness }) => {
  await harness.open(page, '/clients');
  await open(page, 'First client');
  await page.getByRole('button', { name: 'New key' }).click();
  const question = page.getByRole('dialog', { name: 'A new local key for First client' });
  await expect(question).toContainText('The old key stops working immediately');
  await question.getByRole('button', { name: 'Create new key' }).click();
  const shown = page.getByRole('dialog', { name: 'The local key of First client' });
  const key =
    (await shown
      .getByText(/^gh-[\w-]{43}$/u)
      .first()
      .textContent()) ?? '';
  expect((await harness.ask({ localKey: key })).status).toBe(200);
  expect((await harness.ask()).status).toBe(401);
});

test('revokes a client after a confirmation and lists it as revoked', async ({ page, harness }) => {
  await harness.ask();
  await harness.open(page, '/clients');
  await open(page, 'First client');
  await page.getByRole('button', { name: 'Revoke' }).click();
  const question = page.getByRole('dialog', { name: 'Revoke First client' });
  await expect(question).toContainText('Programs using this key will be refused');
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect((await harness.ask()).status).toBe(200);
  await page.getByRole('button', { name: 'Revoke' }).click();
  await question.getByRole('button', { name: 'Revoke' }).click();
  await expect(question).toBeHidden();
  expect((await harness.ask()).status).toBe(401);
  await expect(row(page, 'First client')).toHaveCount(0);
  const pane = page.getByRole('complementary', { name: 'First client' });
  await expect(pane).toContainText('Revoked');
  await expect(pane.getByRole('button', { name: 'Rename' })).toHaveCount(0);
  await page.getByRole('button', { name: '1 revoked client' }).click();
  await expect(page.getByRole('table', { name: 'Revoked clients' })).toContainText('First client');
});

test(
  'the clients of the window and of the environment are marked and cannot be changed',
  { tag: '@browser' },
  async ({ page, startHarness }) => {
    const harness = await startHarness({
      environment: { GATEHOUSE_LOCAL_KEY: 'a-fixed-local-key-of-the-environment' },
    });
    await (await harness.calls()).models.try({ model: 'aurora/aurora-large' });
    await harness.open(page, '/clients');
    for (const mark of ['environment', 'this window']) {
      const marked = row(page, mark);
      await marked.getByRole('button').click();
      const pane = page.getByRole('complementary');
      await expect(pane).toContainText(/GATEHOUSE_LOCAL_KEY|never leaves Gatehouse/u);
      await expect(pane.getByRole('button', { name: /Rename|New key|Revoke/u })).toHaveCount(0);
    }
  },
);

test('shows the settings of every tool, and why Cursor cannot connect', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/clients');
  await open(page, 'First client');
  const pane = page.getByRole('complementary');
  const choose = async (tool: string): Promise<void> => {
    await pane.getByRole('combobox', { name: 'Program' }).fill(tool);
    await page.getByRole('option', { name: tool, exact: true }).click();
  };
  await choose('Claude Code');
  await expect(pane).toContainText('~/.claude/settings.json');
  await expect(pane).toContainText(`"ANTHROPIC_BASE_URL": "${harness.url}"`);
  await choose('Cline');
  await expect(pane.getByText(`${harness.url}/v1`, { exact: true })).toBeVisible();
  await choose('Cursor');
  await expect(pane.getByRole('alert')).toContainText('Cursor’s own servers make the call');
  await expect(pane).not.toContainText(harness.url);
});

test('links a client to its history and its failed requests', async ({ page, harness }) => {
  await harness.ask({ model: 'no-such-model' });
  await harness.open(page, '/clients');
  await open(page, 'First client');
  await page.getByRole('link', { name: 'Failed requests' }).click();
  await expect(page.getByLabel('Search the history')).toHaveValue('client:"First client" failed');
  await page.goBack();
  await page.getByRole('link', { name: 'History', exact: true }).last().click();
  await expect(page).toHaveURL(/\/history\?.*First/u);
});

test('adds, renames and revokes clients with the keyboard alone', async ({ page, harness }) => {
  await harness.open(page, '/clients');
  await expect(row(page, 'First client')).toBeVisible();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('complementary', { name: 'First client' })).toBeVisible();
  await expect(page).toHaveURL(/client=/u);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('complementary')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'First client' })).toBeFocused();
});

test('finding 16: the dialog asks for the program first, as the first steps do, and the name follows', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/clients');
  await page.getByRole('button', { name: 'Add a client' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a client' });
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveCount(0);
  await chooseProgram(page, 'Cursor');
  await expect(dialog.getByText('Cursor cannot connect')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Create local key' })).toBeDisabled();
  await chooseProgram(page, 'Another program');
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveValue('My program');
  await chooseProgram(page, 'Claude Code');
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveValue('Claude Code');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Create local key' }).click();
  const shown = page.getByRole('dialog', { name: 'The local key of Claude Code' });
  await expect(shown.getByRole('combobox', { name: 'Program' })).toHaveValue('Claude Code');
  await expect(shown).toContainText('~/.claude/settings.json');
  await shown.getByRole('button', { name: 'I have copied the key' }).click();
  await page.getByRole('button', { name: 'Add a client' }).click();
  await chooseProgram(page, 'Claude Code');
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveValue('Claude Code 2');
});

test('finding 16: the chat and unknown callers are listed with their use and their exact history', async ({
  page,
  harness,
  provoked,
}) => {
  provoked(/status of 401/u);
  await harness.ask({ localKey: 'gh-of-nobody' });
  await harness.open(page, '/clients');
  await expect(row(page, 'conversations')).toContainText('never');
  const unknown = row(page, 'Unknown callers');
  await expect(unknown).toContainText('no valid key');
  await expect(unknown.getByRole('cell').nth(3)).toHaveText('1');
  await open(page, 'Unknown callers');
  const pane = page.getByRole('complementary', { name: 'Unknown callers' });
  await expect(pane).toContainText('nothing was sent to the service');
  await expect(pane.getByRole('button', { name: /Rename|Expiry|New key|Revoke/u })).toHaveCount(0);
  await expectAccessible(page);
  await pane.getByRole('link', { name: 'History', exact: true }).click();
  await expect(page.getByLabel('Search the history')).toHaveValue('-known');
});

test('finding 16: a key gets an expiry, is refused from then on, and works again with a new one', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/clients');
  await page.getByRole('button', { name: 'Add a client' }).click();
  await chooseProgram(page, 'Aider');
  const expires = page.getByRole('combobox', { name: 'Expires' });
  await expect(expires).toHaveValue('Never');
  const choose = async (label: string): Promise<void> => {
    await expires.click();
    await page.getByRole('option', { name: label, exact: true }).click();
  };
  await choose('On a date');
  const day = page.getByLabel('Last day');
  await day.fill('2020-01-01');
  await day.blur();
  await expect(page.getByText('Choose today or a later day.')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create local key' }).click();
  await expect(page.getByRole('dialog', { name: 'Add a client' })).toBeVisible();
  await choose('In 7 days');
  await page.getByRole('button', { name: 'Create local key' }).click();
  const shown = page.getByRole('dialog', { name: 'The local key of Aider' });
  const localKey =
    (await shown
      .getByText(/^gh-[\w-]{43}$/u)
      .first()
      .textContent()) ?? '';
  await shown.getByRole('button', { name: 'I have copied the key' }).click();
  await expect(row(page, 'Aider')).toContainText(/until \d/u);
  expect((await harness.ask({ localKey })).status).toBe(200);

  const calls = await harness.calls();
  const { id } = (await calls.clients.list()).find(({ name }) => name === 'Aider') ?? {};
  if (id === undefined) throw new Error('The client is not listed.');
  await calls.clients.setExpiry({ id, expiresAt: Date.now() + 1_500 });
  await expect.poll(async () => (await harness.ask({ localKey })).status).toBe(401);
  await expect(row(page, 'Aider')).toContainText('expired');
  await open(page, 'Aider');
  await expect(page.getByRole('complementary')).toContainText('its key is refused until');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Expiry', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Expiry of Aider' });
  await expect(dialog).toContainText('It works again as soon as you save.');
  await expect(expires).toHaveValue('Never');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  await expect(row(page, 'Aider')).not.toContainText('expired');
  expect((await harness.ask({ localKey })).status).toBe(200);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the screen passes the accessibility checks, ${colorScheme}`, async ({ page, harness }) => {
    await page.emulateMedia({ colorScheme });
    await harness.open(page, '/clients');
    await open(page, 'First client');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Revoke' }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await expectAccessible(page);
  });

  test(`the dialog of a new key passes the accessibility checks, ${colorScheme}`, async ({
    page,
    harness,
  }) => {
    await page.emulateMedia({ colorScheme });
    await harness.open(page, '/clients');
    await add(page, 'Cline', 'Cline');
    await page.keyboard.press('Escape');
    await expect(
      page.getByRole('dialog').getByText('The key will not be shown again'),
    ).toBeVisible();
    await expectAccessible(page);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: 'Close', exact: true })
      .last()
      .click();
  });

  test(`a narrow page passes the accessibility checks, ${colorScheme}`, async ({
    page,
    harness,
  }) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 420, height: 800 });
    await harness.open(page, '/clients');
    await page.getByRole('button', { name: 'First client' }).click();
    await expect(page.getByRole('dialog', { name: 'First client' })).toBeVisible();
    await expectAccessible(page);
  });
}
