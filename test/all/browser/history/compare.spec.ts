import { expectAccessible } from '../../../kit/ui/axe.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import { sendSteps, expectDifferences } from '../../../kit/ui/steps/compare.ts';

test('a request is compared with any other, those of its route first', async ({
  page,
  harness,
}) => {
  const { first, second } = await sendSteps(harness);
  await harness.ask({ text: 'A chat of another route' });
  await harness.open(page, `/history?exchange=${first}`);
  await page.getByRole('button', { name: 'Compare' }).click();
  const dialog = page.getByRole('dialog', { name: 'Compare with another request' });
  await expect(dialog.getByRole('textbox', { name: 'Search' })).toBeFocused();
  const others = dialog.getByRole('list', { name: 'Requests' }).getByRole('listitem');
  await expect(others).toHaveCount(2);
  await expect(others.first()).toContainText('Mend it.');
  await expect(others.last()).toContainText('A chat of another route');
  await expectAccessible(page);
  await dialog.getByRole('textbox', { name: 'Search' }).fill('nowhere at all');
  await expect(dialog.getByText('There is no other such request.')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Search' }).fill('aurora');
  await others.first().getByRole('button').click();
  await expect(page).toHaveURL(new RegExp(`left=${second}&right=${first}`, 'u'));
});

test('a comparison is readable on a narrow page, in both appearances', async ({
  page,
  harness,
}) => {
  const { first, second } = await sendSteps(harness);
  await page.setViewportSize({ width: 420, height: 800 });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await harness.open(page, `/history/compare?left=${first}&right=${second}`);
    await expectDifferences(page);
    await expectAccessible(page);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(420);
  }
});

test('without two requests, and with one that is gone, the page says so', async ({
  page,
  harness,
  provoked,
}) => {
  provoked(/404 .*history\/get/u);
  const { first } = await sendSteps(harness);
  await harness.open(page, '/history/compare');
  await expect(page.getByText('Choose two requests')).toBeVisible();
  await expectAccessible(page);
  await harness.open(page, `/history/compare?left=${first}&right=ex-0000000000000000`);
  await expect(page.getByText('Could not load both requests.')).toBeVisible();
});

test('requests of 1 MiB are compared, and long texts are shortened', async ({ page, harness }) => {
  const lines = Array.from({ length: 8_000 }, (_, at) => `${at} ${'word '.repeat(18)}`);
  const { exchangeId: first } = await harness.ask({ text: lines.join('\n') });
  const { exchangeId: second } = await harness.ask({ text: lines.with(4_000, 'new').join('\n') });
  const { exchangeId: other } = await harness.ask({ text: lines.toReversed().join('\n') });
  await harness.open(page, `/history/compare?left=${first}&right=${second}`);
  const changed = page.getByRole('article', { name: 'Message of user, changed' });
  await expect(changed.getByRole('insertion').first()).toContainText('new');
  await expect(changed).toContainText(/… \d\d\d,\d\d\d characters …/u);
  await harness.open(page, `/history/compare?left=${first}&right=${other}`);
  await expect(changed.getByRole('button', { name: /Show all/u }).first()).toBeVisible();
});
