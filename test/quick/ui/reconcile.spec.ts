import { readFile } from 'node:fs/promises';
import { expectAccessible } from '../../kit/ui/axe.ts';
import { expect, test } from '../../kit/ui/kit.ts';
import { seed, choose } from '../../kit/ui/steps/reconcile.ts';

const HEAD = 'created_at,model,prompt_tokens,completion_tokens,cost_usd\n';

const EXPORT = `${HEAD}2026-11-20T12:00:00Z,acme/large,10,5,0.5
2026-11-20T12:01:00Z,acme/large,10,6,0.75
2026-11-20T12:30:00Z,=cmd|x,10,5,0.5
2026-11-20T12:31:00Z,acme/large,10
`;

test('an export is compared, its columns are remembered, and differences lead to their requests', async ({
  page,
  startHarness,
}) => {
  test.slow();
  const harness = await startHarness({ seed: { more: seed } });
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
  await expect(result.getByRole('row', { name: /=cmd\|x/u })).toContainText(
    /20 Nov(?: 2026)?, 12:30:00/u,
  );
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
  await result.getByRole('link', { name: /^20 Nov(?: 2026)?, 12:02:00$/u }).click();
  await expect(page).toHaveURL(/\/history\?exchange=ex-2000000000000000/u);
  await expect(page.getByRole('complementary')).toContainText('ex-2000000000000000');

  await page.goBack();
  await expect(result.getByRole('status')).toContainText('1 output token');
  await choose(page, HEAD + '2026-11-20T12:00:00Z,acme/large,10,5,0.5\n', 'other.csv');
  await expect(form).toContainText('These are the columns that were used for this service before.');
  await expect(result).toHaveCount(0);
});
