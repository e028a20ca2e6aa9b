import type { Page } from '@playwright/test';
import { expectAccessible } from '../../kit/ui/axe.ts';
import { expect, test } from '../../kit/ui/kit.ts';
import { seed, seedBoth, seedSmall } from '../../kit/ui/steps/usage.ts';

test('each measure and group is shown, and the empty ones say so', async ({
  page,
  startHarness,
}) => {
  const harness = await startHarness({ seed: { more: seed } });
  await harness.open(page, '/usage?period=today');
  await expect(page.getByRole('heading', { name: 'By hour' })).toBeVisible();
  for (const measure of ['Tokens', 'Requests', 'First byte', 'Tokens/s', 'Money']) {
    await page
      .getByRole('radiogroup', { name: 'Shown in the chart' })
      .getByText(measure, { exact: true })
      .click();
    await expect(page.locator('canvas')).toBeVisible();
  }
  const groups = page.getByRole('region', { name: 'By group' });
  await groups.getByText('Tag', { exact: true }).click();
  await expect(groups).toContainText('No request of this period has a tag.');
  await groups.getByText('Run', { exact: true }).click();
  await expect(groups.getByRole('row', { name: /^No run/u })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Heat map' })).toContainText('4 requests, $3.00');
  await page.getByText('Custom', { exact: true }).click();
  await page.getByLabel('First day').fill('2020-01-01');
  await page.getByLabel('Last day').fill('2020-01-02');
  await expect(page.getByRole('heading', { name: 'No requests in this period' })).toBeVisible();
  await expectAccessible(page);
});

/** Saves the usage and returns the file. */
async function save(page: Page, item: RegExp): Promise<string> {
  await page.getByRole('button', { name: 'Export the usage' }).click();
  const waiting = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: item }).click();
  const stream = await (await waiting).createReadStream();
  return Buffer.concat(await stream.toArray()).toString();
}

test('the money of services is shown while the sandbox is in use, and named in the files', async ({
  page,
  startHarness,
}) => {
  const harness = await startHarness({ seed: { more: seedBoth } });
  await harness.open(page, '/usage');
  const totals = page.getByRole('region').filter({ hasText: 'Time to first byte' }).first();
  const service = page.getByRole('combobox', { name: 'Service' });
  await expect(service).toHaveValue('Sandbox');
  await expect(totals).toContainText('Play money of the sandbox, not charged');
  await expect(totals).toContainText('$0.000020');
  expect(await save(page, /^CSV/u)).toMatch(/,"Sandbox",USD\r\n$/u);
  await service.click();
  await page.getByRole('option', { name: 'All services' }).click();
  await expect(totals).toContainText('$1.25');
  await expect(totals).not.toContainText('not charged');
  await expectAccessible(page);
  expect(await save(page, /^CSV/u)).toMatch(/^"acme\/large",1\.25,.*,"All services",USD\r\n$/mu);
  await service.click();
  await page.getByRole('option', { name: 'models.example.com' }).click();
  await expect(page).toHaveURL(/of=/u);
  await expect(totals).toContainText('$1.25');
  expect(JSON.parse(await save(page, /^JSON/u))).toMatchObject({
    of: 'https://models.example.com',
    charged: true,
  });
  await totals.getByRole('link', { name: '$1.25' }).click();
  await expect(page.getByLabel('Search the history')).toHaveValue(
    /service:"?https:\/\/models\.example\.com/u,
  );
  await expect(page.getByText('1 request', { exact: true }).locator('visible=true')).toBeVisible();
});

test('the groups are saved as CSV, everything as JSON', async ({ page, startHarness }) => {
  const harness = await startHarness({ seed: { more: seed } });
  await harness.open(page, '/usage');
  const lines = (await save(page, /^CSV/u)).split('\r\n');
  expect(lines[0]).toMatch(/^model,cost_usd,requests,errors,/u);
  expect(lines[1]).toMatch(/^"acme\/large",2\.5,1,0,/u);
  expect(lines).toContainEqual(expect.stringMatching(/^"acme\/new",,1,0,/u));
  expect(JSON.parse(await save(page, /^JSON/u))).toMatchObject({
    of: 'sandbox',
    charged: false,
    currency: 'USD',
    totals: { cost: 3_000_000, unpriced: 1 },
    groups: expect.any(Array),
  });
});

test('the screen fits a narrow window in the dark, and the keyboard reaches it', async ({
  page,
  startHarness,
}) => {
  await page.setViewportSize({ width: 420, height: 900 });
  await page.emulateMedia({ colorScheme: 'dark' });
  const harness = await startHarness({ seed: { more: seed } });
  await harness.open(page, '/');
  await expect(page.getByRole('region', { name: 'Today' })).toContainText('Cost: ~$3.00');
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await expect(page.getByRole('heading', { level: 1, name: 'Usage' })).toBeVisible();
  await expect(page.locator('canvas')).toBeVisible();
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow).toBe(0);
  await expectAccessible(page);
});

test('a small sum stands in one line, and the labels of the chart are whole', async ({
  page,
  startHarness,
}) => {
  const harness = await startHarness({ seed: { more: seedSmall } });
  await page.setViewportSize({ width: 1280, height: 800 });
  await harness.open(page, '/usage');
  const amount = page.getByRole('link', { name: '$0.000020' }).first();
  await expect(amount).toBeVisible();
  const lines = await amount.evaluate((element) => element.getClientRects().length);
  expect(lines).toBe(1);
  const names = page.getByRole('region', { name: / – /u }).first().getByRole('term');
  await expect(names).toHaveCount(7);
  const tops = await names.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  expect(new Set(tops).size).toBe(1);
  const plot = page.locator('.u-over');
  await expect(plot).toBeVisible();
  const room = await plot.evaluate((over) => {
    const box = over.closest('.uplot')?.getBoundingClientRect();
    const pen = document.createElement('canvas').getContext('2d');
    if (box === undefined || pen === null) return null;
    pen.font = `12px ${getComputedStyle(over).fontFamily}`;
    return over.getBoundingClientRect().left - box.left - pen.measureText('$0.000020').width;
  });
  expect(room).toBeGreaterThan(5);
});

test('what was written to caches is said, and the words of the table are whole', async ({
  page,
  harness,
}) => {
  const text = 'You are a helper. '.repeat(100);
  await harness.ask({ protocol: 'messages', scenario: 'caches-input=40', text });
  await page.setViewportSize({ width: 1200, height: 900 });
  await harness.open(page, '/usage');
  const cache = page.getByRole('region', { name: 'Saved by caching' });
  await expect(cache).toContainText(/tokens were written to caches, .* to be kept for an hour\./u);
  await expect(cache).toContainText('What they saved is not computed, because nobody is charged.');
  const words = page.getByRole('columnheader', { name: 'Requests' });
  await expect(words.first()).toBeVisible();
  expect(await words.first().evaluate((cell) => cell.clientHeight)).toBeLessThan(45);
});
