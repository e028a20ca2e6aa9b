import { expectAccessible } from '../../../kit/ui/axe.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import { expectNoXss, IMAGE } from '../../../kit/ui/xss-payloads.ts';
import { seed, choose } from '../../../kit/ui/steps/reconcile.ts';

const HEAD = 'created_at,model,prompt_tokens,completion_tokens,cost_usd\n';

test('sums of days are compared, and lead to the requests of the day', async ({
  page,
  startHarness,
}) => {
  const harness = await startHarness({ seed: { more: seed } });
  await harness.open(page, '/usage/reconcile');
  await choose(page, '{"data":[{"day":"2026-11-20","n":3,"in":31}]}', 'days.json');
  const form = page.getByRole('form', { name: 'Columns of the export' });
  await expect(form.getByRole('combobox', { name: 'Each row is' })).toHaveValue('The sum of a day');
  await form.getByRole('button', { name: 'Compare' }).click();
  const result = page.getByRole('region', { name: 'Result' });
  await expect(result.getByRole('status')).toHaveText(
    'The export has 1 input token more than the history.',
  );
  await result.getByRole('link', { name: /^20 Nov(?: 2026)?$/u }).click();
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
