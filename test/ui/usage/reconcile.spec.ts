import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import type { Repositories } from '../../../gateway/gateway.ts';
import { openHistory } from '../../../gateway/history/history.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import { anExchange } from '../../kit/an-exchange.ts';
import { expectAccessible } from '../kit/axe.ts';
import { expect, test } from '../kit/kit.ts';
import { expectNoXss, IMAGE } from '../kit/xss-payloads.ts';

const AT = Date.UTC(2026, 10, 20, 12);
const HEAD = 'created_at,model,prompt_tokens,completion_tokens,cost_usd\n';
const EXPORT = `${HEAD}2026-11-20T12:00:00Z,acme/large,10,5,0.5
2026-11-20T12:01:00Z,acme/large,10,6,0.75
2026-11-20T12:30:00Z,=cmd|x,10,5,0.5
2026-11-20T12:31:00Z,acme/large,10
`;

/** Three exchanges of a minute each: one as in the export, one with other tokens, and one that it does not have. */
async function seed({ store, host }: Repositories): Promise<void> {
  const history = openHistory({
    store,
    now: host.now,
    redact: String,
    log: host.log,
    getRetention: null,
  });
  const cost = { amount: 500_000, source: 'reported', priceId: null };
  for (let place = 0; place < 3; place += 1) {
    const startedAt = AT + place * 60_000;
    history.record(
      anExchange(`ex-${place}`.padEnd(19, '0'), { startedAt, cost, service: SANDBOX_ID }),
    );
  }
  await history.close();
}

async function choose(page: Page, content: string | Buffer, name = 'export.csv'): Promise<void> {
  const buffer = Buffer.from(content);
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer });
}

test('an export is compared, its columns are remembered, and differences lead to their requests', async ({
  page,
  startHarness,
}) => {
  test.slow();
  const harness = await startHarness({ furniture: { more: seed } });
  await harness.open(page, '/usage');
  await page.getByRole('link', { name: 'Compare with the service’s export' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Compare with an export' })).toBeVisible();
  await expectAccessible(page);

  await choose(page, EXPORT);
  const form = page.getByRole('form', { name: 'Columns of the export' });
  await expect(form).toContainText('These columns are proposed by their values.');
  await expect(form.getByRole('combobox', { name: 'Time', exact: true })).toHaveValue('created_at');
  await expect(form.getByRole('combobox', { name: 'Cost' })).toHaveValue('cost_usd');
  await expect(form).toContainText('prompt_tokens');
  await form.getByRole('button', { name: 'Compare' }).focus();
  await page.keyboard.press('Enter');

  const result = page.getByRole('region', { name: 'Result' });
  await expect(result.getByRole('status')).toHaveText(
    'The export has 1 output token and $0.25 more than the history.',
  );
  await expect(result.getByRole('row', { name: /Requests/u })).toContainText(/3\s*3\s*0/u);
  await expect(result).toContainText('1 request is equal, 1 different, 1 only in the export');
  await expect(result).toContainText('the first is 5: it has 3 cells, and the first line has 5');
  await expect(result.getByRole('row', { name: /=cmd\|x/u })).toContainText('2026-11-20 12:30:00');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await test.step(colorScheme, async () => await expectAccessible(page));
  }
  await page.setViewportSize({ width: 420, height: 800 });
  await expectAccessible(page);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(wide).toBeLessThanOrEqual(420);
  await page.setViewportSize({ width: 1280, height: 800 });

  const saved = page.waitForEvent('download');
  await result.getByRole('button', { name: 'Save the differences as CSV' }).click();
  const lines = (await readFile(await (await saved).path(), 'utf8')).split('\r\n');
  expect(lines).toContain(
    `only in the export,2026-11-20T12:30:00.000Z,"'=cmd|x",,4,1,10,5,0.5,,,,`,
  );
  expect(lines).toContain(
    'different,2026-11-20T12:01:00.000Z,"acme/large",ex-1000000000000000,3,1,10,6,0.75,1,10,5,0.5',
  );

  await result.getByRole('tab', { name: 'Only in the export (1)' }).focus();
  await page.keyboard.press('ArrowRight');
  await result.getByRole('link', { name: '2026-11-20 12:02:00' }).click();
  await expect(page).toHaveURL(/\/history\?exchange=ex-2000000000000000/u);
  await expect(page.getByRole('complementary')).toContainText('ex-2000000000000000');

  await page.goBack();
  await expect(result.getByRole('status')).toContainText('1 output token');
  await choose(page, HEAD + '2026-11-20T12:00:00Z,acme/large,10,5,0.5\n', 'other.csv');
  await expect(form).toContainText('These are the columns that were used for this service before.');
  await expect(result).toHaveCount(0);
});

test('sums of days are compared, and lead to the requests of the day', async ({
  page,
  startHarness,
}) => {
  const harness = await startHarness({ furniture: { more: seed } });
  await harness.open(page, '/usage/reconcile');
  await choose(page, '{"data":[{"day":"2026-11-20","n":3,"in":31}]}', 'days.json');
  const form = page.getByRole('form', { name: 'Columns of the export' });
  await expect(form.getByRole('combobox', { name: 'Each row is' })).toHaveValue('The sum of a day');
  await form.getByRole('button', { name: 'Compare' }).click();
  const result = page.getByRole('region', { name: 'Result' });
  await expect(result.getByRole('status')).toHaveText(
    'The export has 1 input token more than the history.',
  );
  await result.getByRole('link', { name: '2026-11-20' }).click();
  await expect(page.getByLabel('Search the history')).toHaveValue(/since:2026-11-20T00:00/u);
  await expect(page.getByRole('row').filter({ hasText: 'acme/large' }).first()).toBeVisible();
});

test('files that cannot be compared are refused with a sentence', async ({ page, harness }) => {
  await harness.open(page, '/usage/reconcile');
  const alert = page.getByRole('alert');
  await choose(page, '');
  await expect(alert).toContainText('The file is empty.');
  await choose(page, Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0xff, 0xfe]), 'sheet.xlsx');
  await expect(alert).toContainText('This file is not text in UTF-8.');
  await expectAccessible(page);
  await choose(page, `${HEAD}"2026-11-20T12:00:00Z,m,1\n`);
  await expect(alert).toContainText('Line ');
  await choose(page, Buffer.alloc(2 * 1024 * 1024, 'x,'));
  await expect(alert).toContainText('this row is too long');
  await choose(page, HEAD);
  await expect(alert).toContainText('There are no rows in this file.');

  await choose(page, `name,text\n${IMAGE.replaceAll(/[",]/gu, "'")},b\n`);
  const form = page.getByRole('form', { name: 'Columns of the export' });
  await expect(form).toContainText('The columns of this file are not clear.');
  await expect(form.getByRole('button', { name: 'Compare' })).toBeDisabled();
  await form.getByRole('combobox', { name: 'Time', exact: true }).click();
  await page.getByRole('option', { name: 'name' }).click();
  await form.getByRole('combobox', { name: 'Cost' }).click();
  await page.getByRole('option', { name: 'text' }).click();
  await form.getByRole('button', { name: 'Compare' }).click();
  await expect(alert).toContainText('No row of this file can be read with these columns.');
  await expectNoXss(page);
});

test('a file that is not kept any more is asked for again', async ({ page, harness, provoked }) => {
  provoked(/404/u);
  await harness.open(page, '/usage/reconcile?upload=gone&file=export.csv');
  await expect(page.getByRole('alert')).toContainText('Choose the file again.');
  await expectAccessible(page);
});
