import { openHistory } from '../../gateway/history/history.ts';
import type { Repositories } from '../../gateway/gateway.ts';
import { SANDBOX_ID } from '../../shared/sandbox-id.ts';
import { anExchange } from '../kit/an-exchange.ts';
import { expectAccessible } from './kit/axe.ts';
import { expect, test } from './kit/kit.ts';

const HOUR = 3_600_000;

function paid(amount: number) {
  return { amount, source: 'reported', priceId: null };
}

/** Exchanges with costs, an estimate and one without a price, of today and of the week before. */
async function seed({ store, host }: Repositories): Promise<void> {
  const retention = { days: 90, headersDays: 7 };
  const history = openHistory({
    store,
    now: host.now,
    redact: String,
    log: host.log,
    getRetention: () => retention,
  });
  const now = host.now();
  const common = { service: SANDBOX_ID, firstByteMs: 400, durationMs: 2_400 };
  const record = (id: number, fields: object) =>
    history.record(anExchange(`ex-${String(id).padStart(16, '0')}`, { ...common, ...fields }));
  record(1, { startedAt: now, cost: paid(2_500_000), clientName: 'Cline' });
  record(2, {
    startedAt: now,
    cost: { ...paid(500_000), source: 'estimated' },
    modelSent: 'acme/small',
  });
  record(3, {
    startedAt: now,
    cost: { amount: null, source: 'unpriced', priceId: null },
    modelSent: 'acme/new',
  });
  record(4, { startedAt: now, status: 500, route: 'messages', modelSent: 'acme/small' });
  record(5, { startedAt: now - 8 * 24 * HOUR, cost: paid(1_500_000) });
  await history.close();
}

test('usage shows money, its gaps and the change, and leads into the history', async ({
  page,
  startHarness,
}) => {
  const harness = await startHarness({ furniture: { more: seed } });
  await harness.open(page, '/usage');
  const totals = page.getByRole('region', { name: / – /u }).first();
  await expect(totals).toContainText('~$3.00');
  await expect(totals).toContainText('100% more than before');
  await expect(totals).toContainText('1 request has no price');
  await expect(totals).toContainText('The cost of 1 request is estimated.');
  const groups = page.getByRole('region', { name: 'By group' });
  await expect(groups.getByRole('row').nth(1)).toContainText(/acme\/large.*\$2\.50/u);
  await expect(groups.getByRole('row', { name: /acme\/new/u })).toContainText('no price');
  await expect(page.locator('canvas')).toBeVisible();
  await expectAccessible(page);
  await groups.getByText('Route', { exact: true }).click();
  await expect(page).toHaveURL(/by=route/u);
  await groups.getByRole('link', { name: 'Messages' }).click();
  await expect(page.getByLabel('Search the history')).toHaveValue(
    /^route:messages since:\d{4}-\d{2}-\d{2} until:\d{4}-\d{2}-\d{2}/u,
  );
  await expect(page.getByText('acme/small').locator('visible=true').first()).toBeVisible();
});

test('each measure and group is shown, and the empty ones say so', async ({
  page,
  startHarness,
}) => {
  const harness = await startHarness({ furniture: { more: seed } });
  await harness.open(page, '/usage?period=today');
  await expect(page.getByRole('heading', { name: 'By hour' })).toBeVisible();
  for (const measure of ['Tokens', 'Requests', 'Speed', 'Money']) {
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
  await expect(groups).toContainText('No runs in this period.');
  await expect(page.getByRole('region', { name: 'Heat map' })).toContainText('4 requests, $3.00');
  await page.getByText('Custom', { exact: true }).click();
  await page.getByLabel('First day').fill('2020-01-01');
  await page.getByLabel('Last day').fill('2020-01-02');
  await expect(page.getByRole('heading', { name: 'No requests in this period' })).toBeVisible();
  await expectAccessible(page);
});

test('the groups are saved as CSV, everything as JSON', async ({ page, startHarness }) => {
  const harness = await startHarness({ furniture: { more: seed } });
  await harness.open(page, '/usage');
  const save = async (item: RegExp) => {
    await page.getByRole('button', { name: 'Export the usage' }).click();
    const waiting = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: item }).click();
    const stream = await (await waiting).createReadStream();
    return Buffer.concat(await stream.toArray()).toString();
  };
  const lines = (await save(/^CSV/u)).split('\r\n');
  expect(lines[0]).toMatch(/^model,cost_usd,requests,errors,/u);
  expect(lines[1]).toMatch(/^"acme\/large",2\.5,1,0,/u);
  expect(lines).toContainEqual(expect.stringMatching(/^"acme\/new",,1,0,/u));
  expect(JSON.parse(await save(/^JSON/u))).toMatchObject({
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
  const harness = await startHarness({ furniture: { more: seed } });
  await harness.open(page, '/');
  await expect(page.getByRole('region', { name: 'Today' })).toContainText('Cost ~$3.00');
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
