import { expectAccessible } from '../../kit/ui/axe.ts';
import { expect, test } from '../../kit/ui/kit.ts';
import { seed } from '../../kit/ui/steps/usage.ts';

test('usage shows money, its gaps and the change, and leads into the history', async ({
  page,
  startHarness,
}) => {
  const harness = await startHarness({ seed: { more: seed } });
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
  await groups.getByText('Project', { exact: true }).click();
  await expect(groups.getByRole('row', { name: /No project named/u })).toContainText('3');
  await groups.getByText('Route', { exact: true }).click();
  await expect(page).toHaveURL(/by=route/u);
  await groups.getByRole('link', { name: 'Messages' }).click();
  await expect(page.getByLabel('Search the history')).toHaveValue(
    /^route:messages since:\d{4}-\d{2}-\d{2} until:\d{4}-\d{2}-\d{2}/u,
  );
  await expect(page.getByText('acme/small').locator('visible=true').first()).toBeVisible();
});

test('the sums and the groups of usage follow the requests that arrive', async ({
  page,
  harness,
}) => {
  await harness.ask({ model: 'aurora/aurora-small' });
  await harness.open(page, '/usage');
  const groups = page.getByRole('region', { name: 'By group' });
  await expect(groups.getByRole('row', { name: /aurora-small/u })).toBeVisible();
  await harness.ask({ model: 'ember-mini' });
  await expect(groups.getByRole('row', { name: /ember-mini/u })).toBeVisible();
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await harness.ask({ model: 'aurora/aurora-large' });
  await page.getByRole('link', { name: 'Usage', exact: true }).click();
  await expect(groups.getByRole('row', { name: /aurora-large/u })).toBeVisible();
});

test('a bar of the chart, a step of its table and an hour of the week lead into the history', async ({
  page,
  startHarness,
}) => {
  const harness = await startHarness({ seed: { more: seed } });
  await harness.open(page, '/usage?period=today');
  // Not that of the last hour of the day.
  await expect(page.locator('.u-legend')).toContainText('$3.00');
  await harness.open(page, '/usage');
  const search = page.getByLabel('Search the history');
  const today = /^since:(?<day>\d{4}-\d{2}-\d{2}) until:\k<day>/u;
  const chart = page.locator('.u-over');
  const { width = 0, height = 0 } = (await chart.boundingBox()) ?? {};
  await chart.click({ position: { x: width - 20, y: height - 10 } });
  await expect(search).toHaveValue(today);
  await page.goBack();
  // A day without requests leads nowhere.
  await expect(chart).toBeVisible();
  await chart.click({ position: { x: 20, y: height - 10 } });
  await page.getByRole('radio', { name: 'Money' }).focus();
  await page.keyboard.press('Tab');
  const step = page.locator('table', { hasText: 'Usage over time' }).getByRole('link');
  await expect(step).toBeFocused();
  await expect(step).toBeInViewport();
  await step.press('Enter');
  await expect(search).toHaveValue(today);
  await page.goBack();
  const heat = page.getByRole('region', { name: 'Heat map' });
  await heat.getByRole('link', { name: '4 requests, $3.00' }).click();
  await expect(search).toHaveValue(/^since:\S+T\d{2}:00\S* until:\S+T\d{2}:00/u);
  await expect(page.getByText('4 requests').locator('visible=true').first()).toBeVisible();
});
