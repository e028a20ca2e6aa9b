import { NO_PRICES } from '../../../shared/money/price.ts';
import {
  jsonAnswer,
  openUpstream,
  type ScriptedUpstream,
} from '../../kit/net/scripted-upstream.ts';
import { upstreamFormFor } from '../../kit/gateway/upstream-form.ts';
import { openSandbox } from '../../../sandbox/server.ts';
import { expectAccessible } from '../../kit/ui/axe.ts';
import { expect, test } from '../../kit/ui/kit.ts';
import { expectNoXss, IMAGE, SCRIPT } from '../../kit/ui/xss-payloads.ts';
import { seedVideo } from '../../kit/ui/steps/usage.ts';
import { item, addPrice } from '../../kit/ui/steps/prices.ts';

const MODEL = 'claude-sonnet-4-5';

/** A service with a model whose price is known, and one that means harm. */
async function serveModels(upstream: ScriptedUpstream): Promise<void> {
  for (;;) {
    const { head, connection } = await upstream.next();
    const isList = head.startsWith('GET /v1/models ');
    const models = [MODEL, `evil/${IMAGE}`].map((id) => ({
      id,
      object: 'model',
      owned_by: SCRIPT,
    }));
    const usage = { prompt_tokens: 1_000_000, completion_tokens: 100_000 };
    const choices = [{ message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }];
    connection.send(
      jsonAnswer(200, isList ? { object: 'list', data: models } : { choices, usage, model: MODEL }),
    );
  }
}

function toFile(csv: string) {
  return { name: 'p.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
}

test('a file is shown before it is imported, and refused with its place', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/prices');
  await page.getByRole('button', { name: 'Import…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import prices' });
  const file = dialog.locator('input[type=file]');
  await file.setInputFiles(toFile('model,input\nm,three\n'));
  await expect(dialog.getByRole('alert')).toContainText('Line 2, input: "three"');
  await file.setInputFiles(
    toFile(`model,input,output\nacme/large,3,15\n${IMAGE.replaceAll(/[",]/gu, "'")},1,2\n`),
  );
  await expect(dialog).toContainText('2 prices in the file; 0 of them replace');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Import 2 prices' }).click();
  await expect(dialog).toBeHidden();
  await expect(item(page, 'acme/large')).toContainText('input $3.00, output $15.00');
  await expectNoXss(page);
});

test('a suggestion is used only when it is adopted, and counts for earlier requests on demand', async ({
  page,
  harness,
}) => {
  await using upstream = await openUpstream();
  void serveModels(upstream).catch(() => undefined);
  const calls = await harness.calls();
  await calls.upstreams.add({
    ...upstreamFormFor(upstream.url),
    name: 'Scripted',
    key: 'sk-0123456789abcdefghij',
    place: 'file',
    use: true,
  });
  expect((await harness.ask({ model: MODEL })).status).toBe(200);
  await harness.open(page, '/prices');
  await expect(page.getByText('Play prices of the sandbox')).toHaveCount(0);
  const unpriced = page.getByRole('region', { name: 'Without a price' });
  await expect(unpriced.getByRole('listitem').filter({ hasText: MODEL })).toContainText(
    'input $3.00, output $15.00',
  );
  await expect(unpriced.getByRole('listitem').filter({ hasText: 'evil/' })).toContainText(
    'No suggestion.',
  );
  await expectNoXss(page);
  await expectAccessible(page);
  await unpriced.getByRole('button', { name: `Adopt the suggestion for ${MODEL}` }).click();
  await expect(page.getByRole('list', { name: 'Prices' })).toContainText('Anthropic, genai-prices');

  await page.getByRole('button', { name: 'Earlier costs…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Compute earlier costs again' });
  await expect(dialog.getByLabel('Requests of').first()).toHaveValue('The last 7 days');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await harness.open(page, '/');
  await expect(page.getByText('Cost: 1 request made before there was a price')).toBeVisible();
  await harness.open(page, '/usage');
  await expect(page.getByText('enter prices')).toBeHidden();
  await page.getByRole('link', { name: 'compute its cost' }).click();
  await expect(dialog.getByLabel('Requests of').first()).toHaveValue('The whole history');
  await dialog.getByRole('button', { name: 'Show what changes' }).click();
  await expect(dialog.getByRole('status')).toContainText('1 of 1 request would change.');
  await expect(dialog.getByRole('row', { name: MODEL })).toHaveText(`${MODEL}1unknown$8.25`);
  await expect(dialog).toContainText('Limits keep what they have counted');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Change 1 cost' }).click();
  await expect(dialog).toBeHidden();

  await page.setViewportSize({ width: 1500, height: 800 });
  await harness.open(page, '/history');
  const exchange = page.getByRole('row').filter({ hasText: MODEL });
  await expect(exchange.locator('[data-column=cost]')).toHaveText('$8.25');
  await exchange.click();
  await expect(page.getByRole('complementary')).toContainText('$8.25 (from known counts)');
  await expectAccessible(page);
  await harness.open(page, `/models?model=${MODEL}`);
  await expect(page.getByRole('complementary')).toContainText('input $3.00, output $15.00');
});

test('another currency only names the amounts, and says so before', async ({ page, harness }) => {
  await harness.open(page, '/prices');
  await addPrice(page, 'acme', '3');
  await page.getByRole('textbox', { name: 'Currency' }).fill('EU');
  await page.getByRole('button', { name: 'Change…' }).click();
  await expect(page.getByText('A currency is a code of three letters')).toBeVisible();
  await page.getByRole('textbox', { name: 'Currency' }).fill('eur');
  await page.getByRole('button', { name: 'Change…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Name all amounts in EUR?' });
  await expect(dialog).toContainText('3.00 USD becomes 3.00 EUR');
  await dialog.getByRole('button', { name: 'Change the currency' }).click();
  await expect(item(page, 'acme')).toContainText('input €3.00');
});

test('a request of a model without a price says so, with a link that sets one', async ({
  page,
  harness,
}) => {
  const calls = await harness.calls();
  await harness.ask({ model: 'aurora/aurora-small' });
  await harness.open(page, '/history');
  await page.getByRole('row').filter({ hasText: 'aurora-small' }).click();
  await expect(page.getByRole('complementary')).toContainText('(sandbox, not charged)');
  await using service = await openSandbox();
  await calls.upstreams.add({
    ...upstreamFormFor(service.url),
    key: service.key,
    place: 'file',
    use: true,
    untested: true,
  });
  await harness.ask({ model: 'aurora/aurora-large' });
  await page.getByRole('row').filter({ hasText: 'aurora-large' }).click();
  const details = page.getByRole('complementary');
  await expect(details).toContainText('no price known – set one');
  await details.getByRole('link', { name: 'set one' }).click();
  await expect(page.getByRole('dialog').getByRole('textbox', { name: 'Model' })).toHaveValue(
    'aurora/aurora-large',
  );
});

test('a model whose videos have no price is listed, and keeps its other prices when it gets one', async ({
  page,
  startHarness,
}) => {
  const harness = await startHarness({ seed: { more: seedVideo } });
  const calls = await harness.calls();
  const prices = { ...NO_PRICES, input: 3_000_000, output: 15_000_000 };
  const common = { service: null, validFrom: 0, tiers: [], origin: 'entered' };
  await calls.prices.add({ prices: [{ ...common, model: 'acme/*', prices }] });
  await harness.open(page, '/prices');
  const unpriced = page.getByRole('region', { name: 'Without a price' }).getByRole('listitem');
  await expect(unpriced).toContainText('but none for the videos that it made');
  await expect(unpriced).toContainText('1 video without a cost');
  await expectAccessible(page);
  await unpriced.getByRole('button', { name: 'Set the price of acme/film' }).click();
  const dialog = page.getByRole('dialog', { name: 'Price of a model' });
  await expect(dialog.getByRole('textbox', { name: 'Model' })).toHaveValue('acme/film');
  await dialog.getByRole('textbox', { name: 'Second of video' }).fill('480p=0.05');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(item(page, 'acme/film')).toContainText(
    'input $3.00, output $15.00 per million tokens; $0.05 per second of video in 480p',
  );
  await expect(unpriced).toHaveCount(0);
});

test('a price that is added for a model with one changes that at the second save, and loses nothing', async ({
  page,
  harness,
}) => {
  const { prices } = await harness.calls();
  const known = { ...NO_PRICES, input: 3_000_000, output: 0, videoSecond: { '480p': 50_000 } };
  const price = { service: null, model: 'h3', validFrom: 0, tiers: [], origin: 'entered' };
  await prices.add({ prices: [{ ...price, prices: known }] });
  await harness.open(page, '/prices');
  await page.getByRole('button', { name: 'Add a price' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a price' });
  await dialog.getByRole('textbox', { name: 'Model' }).fill('h3');
  await dialog.getByRole('textbox', { name: 'Input' }).fill('4');
  await dialog.getByRole('textbox', { name: 'Output' }).fill('5');
  const seconds = dialog.getByRole('textbox', { name: 'Each second of video' });
  await seconds.fill('2K=0.3');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByRole('alert')).toContainText('h3 has a price already');
  await expect(seconds).toHaveValue('480p=0.05 2K=0.3');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  const { prices: saved } = await prices.list({ text: 'h3', limit: 10 });
  expect(saved.map((one) => one.prices)).toEqual([
    {
      ...known,
      input: 4_000_000,
      output: 5_000_000,
      videoSecond: { '480p': 50_000, '2K': 300_000 },
    },
  ]);
});

test('a price that is set while the dialog of a link is open is shown before it is replaced', async ({
  page,
  harness,
}) => {
  const { prices } = await harness.calls();
  const price = { service: null, model: 'h3', validFrom: 0, tiers: [], origin: 'entered' };
  const secondsOf = async () =>
    (await prices.list({ text: 'h3', limit: 10 })).prices.map((one) => one.prices.videoSecond);
  await harness.open(page, '/prices?model=h3');
  const dialog = page.getByRole('dialog', { name: 'Price of a model' });
  const seconds = dialog.getByRole('textbox', { name: 'Each second of video' });
  await expect(seconds).toHaveValue('');
  const others = { ...NO_PRICES, videoSecond: { '480p': 50_000 } };
  await prices.add({ prices: [{ ...price, prices: others }] });
  const own = page.getByRole('list', { name: 'Prices', exact: true });
  await expect(own.getByRole('listitem')).toContainText('480p');
  await seconds.fill('2K=0.3');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByRole('alert')).toContainText('h3 has a price already');
  expect(await secondsOf()).toEqual([{ '480p': 50_000 }]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  expect(await secondsOf()).toEqual([{ '480p': 50_000, '2K': 300_000 }]);
});

test('a price that was shown because it would be replaced leaves nothing in that of another model', async ({
  page,
  harness,
}) => {
  const { prices } = await harness.calls();
  const known = { ...NO_PRICES, input: 3_000_000, output: 0, cacheRead: 300_000 };
  const tiers = [{ aboveInput: 1_000, prices: { ...known, input: 6_000_000 } }];
  const price = { service: null, model: 'one', validFrom: 0, tiers, origin: 'entered' };
  await prices.add({ prices: [{ ...price, prices: known }] });
  await harness.open(page, '/prices');
  await page.getByRole('button', { name: 'Add a price' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a price' });
  const model = dialog.getByRole('textbox', { name: 'Model' });
  await model.fill('ONE');
  await dialog.getByRole('textbox', { name: 'Input' }).fill('4');
  await dialog.getByRole('textbox', { name: 'Output' }).fill('5');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByRole('alert')).toContainText('one has a price already');
  await expect(dialog.getByRole('textbox', { name: 'Read from a cache' })).toHaveValue('0.3');
  await expect(dialog).toContainText('The price for requests with many input tokens does not');
  await model.fill('two');
  await expect(dialog.getByRole('alert')).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  const saved = await prices.list({ text: '', limit: 10 });
  expect(
    saved.prices.map(({ model: id, prices: { input, cacheRead }, ...one }) => [
      id,
      input,
      cacheRead,
      one.tiers.length,
    ]),
  ).toEqual([
    ['one', 3_000_000, 300_000, 1],
    ['two', 4_000_000, null, 0],
  ]);
});
