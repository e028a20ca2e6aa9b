import type { Page } from '@playwright/test';
import { expectAccessible } from '../../../kit/ui/axe.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import { seedOldExchanges, variedFields } from '../../../kit/ui/seed/old-exchanges.ts';
import { findRows } from '../../../kit/ui/steps/history.ts';

/** Chooses within one filter and closes it again. */
async function choose(page: Page, filter: string, choices: readonly string[]): Promise<void> {
  await page.getByRole('combobox', { name: filter }).click();
  for (const choice of choices)
    await page.getByRole('option', { name: choice, exact: true }).click();
  await page.keyboard.press('Escape');
}

test.describe('filters', () => {
  test.use({ harnessOptions: { seed: { more: seedOldExchanges(60, variedFields) } } });

  test('combine, are part of the address, and survive a reload', async ({ page, harness }) => {
    await harness.open(page, '/history');
    await expect(page.getByText('60 requests')).toBeVisible();
    await choose(page, 'Client', ['Cline']);
    await expect(page.getByText('30 requests')).toBeVisible();
    await choose(page, 'Route', ['Chat', 'Messages']);
    await expect(page.getByText('20 requests')).toBeVisible();
    await choose(page, 'Model', ['acme/large']);
    await choose(page, 'Repairs', ['Repaired']);
    await choose(page, 'Streaming', ['Not streamed']);
    await choose(page, 'Outcome', ['4xx: refused']);
    await expect(page.getByText('1 request', { exact: true })).toBeVisible();
    await expect(findRows(page)).toHaveCount(1);
    await expect(findRows(page)).toContainText('429');
    const url = page.url();
    await page.reload();
    await expect(page.getByText('1 request', { exact: true })).toBeVisible();
    await expect(page.getByRole('combobox', { name: 'Client: Cline' })).toBeVisible();
    await expect(page.getByRole('combobox', { name: 'Route: Chat, Messages' })).toBeVisible();
    expect(page.url()).toBe(url);
    await page.getByRole('button', { name: 'Reset' }).click();
    await expect(page.getByText('60 requests')).toBeVisible();
    await expect(page).toHaveURL(/\/history$/u);
  });
});

test.describe('details', () => {
  test('show the course, the times, the repairs and the headers', async ({
    page,
    context,
    harness,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { exchangeId } = await harness.ask({
      protocol: 'messages',
      path: '/v1/messages/v1/messages',
    });
    await harness.open(page, '/history');
    await findRows(page).first().click();
    await expect(page).toHaveURL(new RegExp(`exchange=${exchangeId}`, 'u'));
    const details = page.getByRole('complementary', { name: 'Messages' });
    await expect(details).toContainText('Gatehouse made 1 repair. The service answered 200 after');
    for (const stretch of ['In Gatehouse', 'Until the first byte', 'Answering']) {
      await expect(details.getByRole('term').filter({ hasText: stretch })).toBeVisible();
    }
    await details.getByRole('button', { name: 'Copy the recommended value' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(harness.url);
    await expect(details).toContainText('Reported by the service.');
    await expect(details.getByRole('row', { name: /x-api-key/u })).toContainText('••••');
    expect(await details.innerText()).not.toContain(harness.localKey);
    await details.getByText('Answered', { exact: true }).click();
    await details.getByLabel('Filter the headers').fill('content-type');
    await expect(details.getByRole('row')).toHaveCount(1);
    await expectAccessible(page);
    await page.reload();
    await expect(details).toContainText('Gatehouse made 1 repair.');
    await page.keyboard.press('Escape');
    await expect(details).toBeHidden();
    expect(page.url()).not.toContain('exchange=');
  });
});
