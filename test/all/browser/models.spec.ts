import type { Page } from '@playwright/test';
import { expectAccessible } from '../../kit/ui/axe.ts';
import { expect, test } from '../../kit/ui/kit.ts';
import { reach } from '../../kit/ui/pointer.ts';
import { ModelListService } from '../../kit/ui/model-list-service.ts';
import { rows, row } from '../../kit/ui/steps/models.ts';

function find(page: Page) {
  return page.getByRole('searchbox', { name: 'Find models' });
}

test('usage appears without a reload', async ({ page, harness }) => {
  await harness.open(page, '/models');
  const used = rows(page).filter({ hasText: 'borealis/borealis-code' });
  await expect(used.getByRole('cell').nth(3)).toHaveText('–');
  await harness.ask({ model: 'borealis/borealis-code' });
  await expect(used.getByRole('cell').nth(3)).toHaveText('1');
});

test('the search is in the address, survives a reload and is emptied by Escape', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/models');
  await expect(rows(page).first()).toBeVisible();
  await page.keyboard.press('/');
  await expect(find(page)).toBeFocused();
  await page.keyboard.type('borealis code');
  await expect(page.getByRole('status').filter({ hasText: '1 of' })).toBeVisible();
  await expect(page).toHaveURL(/find=borealis\+code/u);
  await page.reload();
  await expect(find(page)).toHaveValue('borealis code');
  await expect(row(page, 'borealis/borealis-code')).toBeVisible();
  await find(page).press('Escape');
  await expect(page).not.toHaveURL(/find=/u);
});

test('Enter in the search opens the first result, however fast it is pressed', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/models');
  await expect(rows(page).first()).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.type('glade');
  await page.keyboard.press('Enter');
  await expect(row(page, 'glade/glade-long')).toBeFocused();
});

test('j, k, Enter and Escape walk the list, open a model and close it', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/models');
  await expect(rows(page).first()).toBeVisible();
  for (const key of ['j', 'j', 'j', 'k', 'Enter']) await page.keyboard.press(key);
  const pane = page.getByRole('complementary', { name: 'aurora/aurora-small' });
  await expect(pane).toBeVisible();
  await expect(page).toHaveURL(/model=aurora/u);
  await page.keyboard.press('Escape');
  await expect(pane).toBeHidden();
  await page.goBack();
  await expect(pane).toBeVisible();
});

test('finding 15: a model shows its name, context, abilities and a real date', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/models');
  const line = rows(page).filter({ hasText: 'aurora/aurora-large' });
  await expect(line).toContainText('Aurora Large');
  await expect(line.getByRole('cell').nth(4)).toHaveText('128K');
  await expect(line.getByRole('cell').nth(5)).toHaveText('texttoolsvision');
  await row(page, 'aurora/aurora-large').click();
  const pane = page.getByRole('complementary', { name: 'aurora/aurora-large' });
  await expect(pane).toContainText('128,000 tokens of context');
  const details = page.getByRole('region', { name: 'Details from the service' });
  await expect(details).toContainText('Created');
  await expect(details.getByText('1 January 2026')).toBeVisible();
  await expect(details).not.toContainText('1767225600');
  await expect(details.getByText('Aurora Large', { exact: true })).toBeVisible();
  await expect(details.getByText('vision', { exact: true })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Prices' })).toHaveCount(0);
  await expectAccessible(page);
});

test('finding 15: models are sorted by name, last use or context, across a reload', async ({
  page,
  harness,
}) => {
  await harness.ask({ model: 'ember-mini' });
  await harness.open(page, '/models');
  const sortBy = async (label: string): Promise<void> => {
    await page.getByRole('combobox', { name: 'Sort models' }).click();
    await page.getByRole('option', { name: label }).click();
  };
  await sortBy('By last use');
  await expect(page.getByRole('rowheader')).toHaveText(/Last used first/u);
  await expect(rows(page).nth(2)).toContainText('ember-mini');
  await sortBy('By context');
  await expect(rows(page).nth(2)).toContainText('glade/glade-long');
  await expect(page).toHaveURL(/sort=context/u);
  await page.reload();
  await expect(rows(page).nth(2)).toContainText('glade/glade-long');
  await sortBy('By name');
  await expect(page.getByRole('rowheader', { name: 'borealis 2' })).toBeVisible();
});

test('finding 15: favourites come first, also in the chat, until they are none', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/models');
  const star = page.getByRole('button', { name: 'Favourite: glade/glade-long' });
  await star.click();
  await expect(star).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('rowheader').first()).toHaveText('Favourites 1');
  await page.reload();
  await expect(rows(page).nth(2)).toContainText('glade/glade-long');
  await page.getByRole('link', { name: 'Chat', exact: true }).click();
  await page.getByRole('button', { name: /^Model: / }).click();
  await expect(page.getByRole('option').first()).toContainText('glade/glade-long');
  await page.keyboard.press('Escape');
  await harness.open(page, '/models');
  await star.click();
  await expect(page.getByRole('rowheader').first()).not.toContainText('Favourites');
});

test('finding 15: “Chat with it” begins a chat with the model, and “Use in a client” a client', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/models?model=borealis%2Fborealis-code');
  await page.getByRole('link', { name: 'Chat with it' }).click();
  await expect(page).toHaveURL(/\/chat$/u);
  await expect(page.getByRole('button', { name: 'Model: borealis/borealis-code' })).toBeVisible();
  await page.getByRole('textbox', { name: /message/iu }).fill('Hello');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/chat\?c=/u);
  const { conversations } = await (await harness.calls()).chat.page({ find: '', limit: 1 });
  expect(conversations[0]?.models).toEqual(['borealis/borealis-code']);

  await harness.open(page, '/models?model=borealis%2Fborealis-code');
  await page.getByRole('link', { name: 'Use in a client' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a client' });
  await expect(dialog).toContainText('Its settings will use borealis/borealis-code.');
  await dialog.getByRole('combobox', { name: 'Program' }).click();
  await page.getByRole('option', { name: 'Aider' }).click();
  await dialog.getByRole('button', { name: 'Create local key' }).click();
  const shown = page.getByRole('dialog', { name: 'The local key of Aider' });
  await expect(shown.getByRole('combobox', { name: 'Model' })).toHaveValue(
    'borealis/borealis-code',
  );
  await expect(shown).toContainText('openai/borealis/borealis-code');
  await shown.getByRole('button', { name: 'I have copied the key' }).click();
  await page.getByRole('button', { name: 'First client', exact: true }).click();
  await expect(
    page.getByRole('complementary').getByRole('combobox', { name: 'Model', exact: true }),
  ).toHaveValue('borealis/borealis-code');
});

test('finding 15: a model that makes videos is not offered to a chat or a client', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/models?model=h3');
  await expect(page.getByRole('complementary', { name: 'h3' })).toContainText('video');
  await expect(page.getByRole('link', { name: /Chat with it|Use in a client/u })).toHaveCount(0);
});

test(
  'finding 15: prices are shown as the service lists them, and hostile metadata as it is',
  { tag: '@browser' },
  async ({ page, startHarness }) => {
    await using service = await ModelListService.open([
      {
        id: 'acme/one',
        pricing: { prompt: '0.000003' },
        created: 1e300,
        context_window: -1,
        constructor: 'x',
        tags: ['a'.repeat(5_000)],
      },
    ]);
    const harness = await startHarness({
      args: ['--upstream', service.url],
      environment: { GATEHOUSE_UPSTREAM_KEY: 'service-key-of-the-test' },
    });
    await harness.open(page, '/models?model=acme%2Fone');
    await expect(page.getByRole('region', { name: 'Prices' })).toContainText('0.000003');
    const details = page.getByRole('region', { name: 'Details from the service' });
    await expect(details).toContainText('1e+300');
    await expect(details).toContainText('context_window-1');
    await expect(page.getByRole('complementary')).not.toContainText('tokens of context');
  },
);

test('the exact id is copied', async ({ page, harness, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await harness.open(page, '/models?model=dune%2Fopen%2Fdune-7b');
  await page.getByRole('button', { name: 'Copy the id' }).last().click();
  await expect(page.getByRole('button', { name: 'Copied' }).last()).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('dune/open/dune-7b');
});

test('a model test shows its result and duration and links to its exchange', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/models?model=aurora%2Faurora-large');
  const trial = page.getByRole('region', { name: 'Try this model' });
  await expect(trial).toContainText('No charge (sandbox).');
  await trial.getByRole('button', { name: 'Try' }).click();
  await expect(trial).toContainText('It works');
  await expect(trial).toContainText(/status 200, .* m?s/u);
  const calls = await harness.calls();
  const recorded = async () => {
    const { exchanges } = await calls.history.page({ filter: { clients: ['Window'] }, limit: 1 });
    return exchanges[0]?.id ?? 'none';
  };
  // The answer comes before its record is written.
  await expect.poll(recorded).not.toBe('none');
  await trial.getByRole('link', { name: 'Show the exchange' }).click();
  await expect(page).toHaveURL(new RegExp(`/history\\?.*${await recorded()}`, 'u'));
});

test('a failed model test shows the message of the service', async ({ page, harness }) => {
  await harness.open(page, '/models?model=sandbox%2Ferror-500');
  const trial = page.getByRole('region', { name: 'Try this model' });
  await trial.getByRole('button', { name: 'Try' }).click();
  await expect(trial).toContainText('It did not work');
  await expect(trial).toContainText('status 500');
});

test('a pasted display name and a missing prefix are explained, with the id to copy', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/models?find=Aurora+Large');
  const meaning = page.getByRole('status', { name: 'Name check' });
  await expect(meaning).toContainText('display name');
  await expect(
    meaning.getByRole('button', { name: 'aurora/aurora-large', exact: true }),
  ).toBeVisible();
  await expect(
    meaning.getByRole('button', { name: 'Copy the id aurora/aurora-large' }),
  ).toBeVisible();
  await find(page).fill('borealis-chat');
  await expect(meaning).toContainText('The prefix borealis/ is missing.');
  await find(page).fill('borealis/borealis-chat');
  await expect(meaning).toHaveText('');
});

test('an unknown name is reported, with a button that shows all models', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/models?find=aurora%2Faurora-larg3');
  const meaning = page.getByRole('status', { name: 'Name check' });
  await expect(meaning).toContainText('no permission');
  await meaning.getByRole('button', { name: 'aurora/aurora-large', exact: true }).click();
  await expect(page.getByRole('complementary', { name: 'aurora/aurora-large' })).toBeVisible();
  await page.getByRole('button', { name: 'Show all models' }).click();
  await expect(page.getByRole('rowheader', { name: 'borealis 2' })).toBeVisible();
});

test(
  'when the service is down, the last list stays with its age and the reason',
  { tag: '@browser' },
  async ({ page, startHarness }) => {
    await using service = await ModelListService.open([{ id: 'acme/one' }, { id: 'acme/two' }]);
    const harness = await startHarness({
      args: ['--upstream', service.url],
      environment: { GATEHOUSE_UPSTREAM_KEY: 'service-key-of-the-test' },
    });
    await harness.open(page, '/models');
    await expect(row(page, 'acme/two')).toBeVisible();
    service.answer = { status: 503 };
    await page.getByRole('button', { name: 'Refresh' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'Could not update the model list' });
    await expect(alert).toContainText('503');
    await expect(alert).toContainText(/list was fetched (now|.* ago)/u);
    await expect(row(page, 'acme/two')).toBeVisible();
    service.answer = { models: [{ id: 'acme/three' }] };
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect(row(page, 'acme/three')).toBeVisible();
    await expect(alert).toBeHidden();
  },
);

test(
  'thousands of models scroll to the end without a blank row',
  { tag: '@browser' },
  async ({ page, startHarness }) => {
    const models = Array.from({ length: 5_000 }, (_, at) => ({
      id: `vendor-${at % 40}/model-${String(at).padStart(4, '0')}`,
    }));
    await using service = await ModelListService.open(models);
    const harness = await startHarness({
      args: ['--upstream', service.url],
      environment: { GATEHOUSE_UPSTREAM_KEY: 'service-key-of-the-test' },
    });
    await harness.open(page, '/models');
    const table = page.getByRole('table', { name: 'Models' });
    await expect(table).toHaveAttribute('aria-rowcount', '5041');
    expect(await rows(page).count()).toBeLessThan(120);
    await page.keyboard.press('j');
    await page.keyboard.press('End');
    await expect(row(page, 'vendor-39/model-4999')).toBeFocused();
  },
);

test(
  'names from the service are shown as text, whatever they contain',
  { tag: '@browser' },
  async ({ page, startHarness }) => {
    const hostile = '<img src=x onerror="document.title=\'owned\'">';
    await using service = await ModelListService.open([
      { id: `evil/${hostile}`, [hostile]: { deep: hostile }, name: 'javascript:alert(1)' },
    ]);
    const harness = await startHarness({
      args: ['--upstream', service.url],
      environment: { GATEHOUSE_UPSTREAM_KEY: 'service-key-of-the-test' },
    });
    await harness.open(page, '/models');
    await row(page, `evil/${hostile}`).click();
    const pane = page.getByRole('complementary');
    await expect(pane.getByText(JSON.stringify({ deep: hostile }))).toBeVisible();
    await expect(pane.getByRole('link')).toHaveText(['Chat with it', 'Use in a client', 'Set one']);
    await expect(page.locator('img[src="x"]')).toHaveCount(0);
    expect(await page.title()).toBe('Models · Gatehouse');
  },
);

const ENDS = ['-instruct-fp8', '-instruct-bf16', '-reasoning-fp8'];

test(
  'long ids are cut in the middle, so that those of one family differ, with a tooltip only where one is cut',
  { tag: '@browser' },
  async ({ page, startHarness }) => {
    const family = 'meta-llama/llama-4-maverick-17b-128e';
    const long = ENDS.map((end) => `${family}${end}`);
    await using service = await ModelListService.open([...long, 'acme/one'].map((id) => ({ id })));
    const harness = await startHarness({
      args: ['--upstream', service.url],
      environment: { GATEHOUSE_UPSTREAM_KEY: 'service-key-of-the-test' },
    });
    await page.setViewportSize({ width: 420, height: 800 });
    await harness.open(page, '/models');
    for (const [at, id] of long.entries()) {
      const end = row(page, id).getByText(ENDS[at] ?? '', { exact: true });
      await expect(end).toBeInViewport({ ratio: 1 });
      await reach(row(page, id));
      await expect(page.getByRole('tooltip')).toHaveText(id);
    }
    await reach(row(page, 'acme/one'));
    await expect(page.getByRole('tooltip')).toHaveCount(0);
    await page.setViewportSize({ width: 1280, height: 800 });
    await reach(row(page, long[0] ?? ''));
    await reach(row(page, 'acme/one'));
    await expect(page.getByRole('tooltip')).toHaveCount(0);
    await page.goto(`${harness.windowUrl}/chat`);
    await page.setViewportSize({ width: 420, height: 800 });
    await page.getByRole('button', { name: /^Model: / }).click();
    await page.getByRole('option', { name: long[1] ?? '' }).click();
    const picked = page.getByRole('button', { name: `Model: ${long[1]}` });
    const end = picked.getByText(ENDS[1] ?? '', { exact: true });
    await expect(end).toBeInViewport({ ratio: 1 });
    await reach(end);
    await expect(page.getByRole('tooltip')).toHaveText(long[1] ?? '');
  },
);

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the screen passes the accessibility checks, ${colorScheme}`, async ({ page, harness }) => {
    await page.emulateMedia({ colorScheme });
    await harness.open(page, '/models?model=aurora%2Faurora-large');
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await expect(page.getByText('It works')).toBeVisible();
    await expectAccessible(page);
    await page.setViewportSize({ width: 420, height: 800 });
    await page.goto(`${harness.windowUrl}/models?find=Aurora+Large`);
    await expect(page.getByText('display name')).toBeVisible();
    await expectAccessible(page);
  });
}
