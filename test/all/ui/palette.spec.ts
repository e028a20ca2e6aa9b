import type { Calls } from '../../kit/ui/harness.ts';
import { ModelListService } from '../../kit/ui/model-list-service.ts';
import { addVideo } from '../../kit/ui/video-steps.ts';
import { freePort } from '../../kit/net/free-port.ts';
import { expect, test } from '../../kit/ui/kit.ts';
import { palette, selected, openPalette } from '../../kit/ui/steps/palette.ts';

test('finding 13: actions, settings and services are found by their usual words', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/');
  for (const [text, label] of [
    ['add client', 'Add a client'],
    ['erase', 'Erase the history'],
    ['port', 'Port'],
    ['pause', 'Pause'],
    ['first client', 'First client'],
    ['runs', 'Runs'],
    ['service key', 'Services'],
    ['key', 'Keyboard shortcuts'],
    ['fixture', 'Runs'],
    ['export', 'History'],
  ] as const) {
    await openPalette(page, text);
    await expect(selected(page), text).toContainText(label);
    await page.keyboard.press('Escape');
    await expect(palette(page)).toHaveCount(0);
  }
  await openPalette(page, 'keyboard');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Keyboard' })).toContainText('Show this list');
  await page.keyboard.press('Escape');
  await openPalette(page, 'add client');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Add a client' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/\/clients$/u);
});

test('finding 13: a setting opens in sight with its control in focus', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/');
  await openPalette(page, 'erase');
  await page.keyboard.press('Enter');
  const erase = page.getByRole('button', { name: 'Erase…' });
  await expect(erase).toBeFocused();
  await expect(erase).toBeInViewport();
});

test('every setting of the palette exists on the Settings screen', async ({ page, harness }) => {
  await harness.open(page, '/');
  await openPalette(page, 'setting');
  const listed = page
    .getByRole('dialog', { name: 'Go to' })
    .getByRole('button', { name: /Setting$/u });
  await expect(listed.first()).toBeVisible();
  const labels = (await listed.allInnerTexts()).map((text) => text.split('\n')[0] ?? '');
  expect(labels.length).toBeGreaterThan(8);
  await page.keyboard.press('Escape');
  await harness.open(page, '/settings');
  const names = page.locator('[data-settings] h2, [data-settings] [data-setting]');
  await expect(names.filter({ hasText: 'Erase the history' })).toHaveCount(1);
  const shown = await names.allInnerTexts();
  expect(labels.filter((label) => !shown.includes(label))).toEqual([]);
});

test('recent actions come first, and the first row is marked at once', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/');
  await openPalette(page, 'failed');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/filter=failed/u);
  await harness.open(page, '/history');
  await openPalette(page, '');
  await expect(selected(page)).toHaveText('Failed requests');
  // The library draws the heading of a group from its style.
  const group = page
    .getByRole('dialog', { name: 'Go to' })
    .locator('.mantine-Spotlight-actionsGroup');
  await expect(group.first()).toHaveAttribute('style', /Recent/u);
});

test('a conversation is found by a word of its messages, and an exchange by its id', async ({
  page,
  harness,
}) => {
  const calls = await harness.calls();
  const settings = { system: '', temperature: null, maxTokens: null, imagesAnyway: false };
  const lanes = [{ model: 'aurora/aurora-large', protocol: null }];
  const { id } = await calls.chat.add({ settings, lanes });
  await calls.chat.send({ id, content: { text: 'A walrus on the quay', files: [] }, replaces: [] });
  await harness.ask({ model: 'aurora/aurora-large' });
  await expect.poll(() => newestExchange(calls)).not.toBe('');
  const exchangeId = await newestExchange(calls);
  await harness.open(page, '/');
  await openPalette(page, 'walrus');
  await expect(selected(page)).toHaveText(/^A walrus/u);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`c=${id}`, 'u'));
  await harness.open(page, '/');
  await openPalette(page, exchangeId);
  await expect(selected(page)).toHaveText(`Open request ${exchangeId}`);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`exchange=${exchangeId}`, 'u'));
});

test('another service is used only after a question, which says whether it answers', async ({
  page,
  harness,
}) => {
  const { upstreams, chat } = await harness.calls();
  const baseUrl = `http://127.0.0.1:${await freePort()}`;
  const more = { versionVendor: 'anthropic', caFile: null, proxyUrl: null };
  const key = { key: 'a-service-key', place: 'file', use: false, untested: true } as const;
  await upstreams.add({ name: 'Tiny', baseUrl, ...more, ...key });
  const settings = { system: '', temperature: null, maxTokens: null, imagesAnyway: false };
  const lanes = [{ model: 'aurora/aurora-large', protocol: null }];
  const { id } = await chat.add({ settings, lanes });
  await chat.send({ id, content: { text: 'A tiny question', files: [] }, replaces: [] });
  await harness.open(page, '/');
  await openPalette(page, 'tiny');
  const listed = page.getByRole('dialog', { name: 'Go to' }).getByRole('button');
  await expect(listed).toHaveText([/tiny question/u, /^Use Tiny/u, /^Search the history/u]);
  await listed.filter({ hasText: 'Use Tiny' }).click();
  const question = page.getByRole('dialog', { name: 'Send all requests to Tiny?' });
  await expect(question).toContainText('Nothing is listening');
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused();
  const isUsed = async () => (await upstreams.list()).find(({ name }) => name === 'Tiny')?.active;
  expect(await isUsed()).toBe(false);
  await question.getByRole('button', { name: 'Use Tiny' }).click();
  await expect(question).toBeHidden();
  expect(await isUsed()).toBe(true);
});

test('videos and revoked clients are found', async ({ page, harness }) => {
  const { clients } = await harness.calls();
  const { client } = await clients.add({ name: 'Retired script', expiresAt: null });
  await clients.revoke({ id: client.id });
  await addVideo(harness, 'A fox in the snow', { confirmed: false });
  await harness.open(page, '/');
  await openPalette(page, 'retired');
  await expect(selected(page)).toHaveText(/^Retired script.*Revoked/u);
  await page.keyboard.press('Escape');
  await expect(palette(page)).toHaveCount(0);
  await openPalette(page, 'snow');
  await expect(selected(page)).toHaveText('A fox in the snow');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/videos\?.*video=/u);
});

test('g and a letter open a screen, except within a text', async ({ page, harness }) => {
  await harness.open(page, '/');
  await page.keyboard.press('g');
  await page.keyboard.press('m');
  await expect(page.getByRole('heading', { level: 1, name: 'Models' })).toBeVisible();
  await page.getByRole('searchbox', { name: 'Find models' }).fill('');
  await page.getByRole('searchbox', { name: 'Find models' }).press('g');
  await page.getByRole('searchbox', { name: 'Find models' }).press('s');
  await expect(page.getByRole('searchbox', { name: 'Find models' })).toHaveValue('gs');
  await expect(page.getByRole('heading', { level: 1, name: 'Models' })).toBeVisible();
});

test('Escape leaves the message of a chat, whose text stays', async ({ page, harness }) => {
  await harness.open(page, '/chat');
  const message = page.getByRole('textbox', { name: 'Message' });
  await expect(message).toBeFocused();
  await message.fill('Later');
  await message.press('Escape');
  await expect(message).not.toBeFocused();
  await expect(message).toHaveValue('Later');
  await page.keyboard.press('g');
  await page.keyboard.press('m');
  await expect(page.getByRole('heading', { level: 1, name: 'Models' })).toBeVisible();
});

test('a model of the palette starts a conversation with it', async ({ page, harness }) => {
  await harness.open(page, '/');
  await openPalette(page, 'chat borealis-chat');
  await expect(selected(page)).toHaveText('Chat with borealis/borealis-chat');
  await page.keyboard.press('Enter');
  await expect(
    page.getByRole('button', { name: /^Model: borealis\/borealis-chat/u }),
  ).toBeVisible();
  await expect(page).toHaveURL(/\/chat$/u);
});

test('finding 20: an unknown address has a page that says so @browser', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/');
  await page.goto(`${harness.windowUrl}/no/such%20page`);
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await expect(page.getByText('or look for it with “Go to…”.')).toBeVisible();
  await page.getByRole('link', { name: 'Home' }).last().click();
  await expect(page.getByRole('heading', { level: 1, name: 'Home' })).toBeVisible();
});

test(
  'the palette finds every model of a long list, and copies its id',
  { tag: '@browser' },
  async ({ page, startHarness, context }) => {
    const models = Array.from({ length: 3_000 }, (_, at) => ({ id: `vendor/model-${at}` }));
    await using service = await ModelListService.open(models);
    const harness = await startHarness({
      args: ['--upstream', service.url],
      environment: { GATEHOUSE_UPSTREAM_KEY: 'service-key-of-the-test' },
    });
    await (await harness.calls()).models.refresh();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await harness.open(page, '/');
    await page.keyboard.press('Control+k');
    await expect(palette(page)).toBeFocused();
    await page.keyboard.type('copy model-2987');
    await expect(selected(page)).toHaveText('Copy vendor/model-2987');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Copied vendor/model-2987')).toBeVisible();
    expect(await page.evaluate(async () => await navigator.clipboard.readText())).toBe(
      'vendor/model-2987',
    );
  },
);

async function newestExchange(calls: Calls): Promise<string> {
  const { exchanges } = await calls.history.page({ filter: { routes: ['chat'] }, limit: 1 });
  return exchanges[0]?.id ?? '';
}
