import type { Page } from '@playwright/test';
import { ModelListService } from './kit/model-list-service.ts';
import { expect, test } from './kit/kit.ts';

function palette(page: Page) {
  return page.getByRole('textbox', { name: 'Go to' });
}

test('while a dialog is open, shortcuts of the screen below are inactive', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/models');
  await expect(page.locator('[data-row="0"]')).toBeVisible();
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keyboard' });
  const close = keys.getByRole('button', { name: 'Close' });
  await expect(close).toBeFocused();
  for (const key of ['j', 'k', '/']) {
    await page.keyboard.press(key);
    await expect(close, key).toBeFocused();
  }
  await page.keyboard.press('Escape');
  await expect(keys).toBeHidden();
  await page.keyboard.press('j');
  await expect(page.locator('[data-row="0"]')).toBeFocused();
});

test('Escape closes a dialog, and the details below stay', async ({ page, harness }) => {
  await harness.open(page, '/clients');
  await page.getByRole('button', { name: 'First client', exact: true }).click();
  await page.getByRole('button', { name: 'New key' }).click();
  const question = page.getByRole('dialog', { name: /^A new local key/u });
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(question).toHaveCount(0);
  const close = page.getByRole('button', { name: 'Close the details' });
  await expect(close).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(close).toHaveCount(0);
});

test('a dialog returns the focus', async ({ page, harness }) => {
  await harness.open(page, '/clients');
  const add = page.getByRole('button', { name: 'Add a client' });
  await add.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(add).toBeFocused();
});

for (const width of [1280, 420]) {
  test(`details give the focus back to their row, ${width} px`, async ({ page, harness }) => {
    await page.setViewportSize({ width, height: 800 });
    await harness.open(page, '/clients');
    const row = page.getByRole('button', { name: 'First client', exact: true });
    await row.focus();
    await page.keyboard.press('Enter');
    const close = page.getByRole('button', { name: 'Close the details' });
    await close.focus();
    await page.keyboard.press('Escape');
    await expect(close).toHaveCount(0);
    await expect(row).toBeFocused();
  });
}

test('the palette opens from within a filter', async ({ page, harness }) => {
  await harness.open(page, '/models');
  await page.getByRole('searchbox', { name: 'Find models' }).focus();
  await page.keyboard.press('Control+k');
  await expect(palette(page)).toBeFocused();
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
    await expect(page.getByRole('dialog')).toContainText('vendor/model-0');
    await page.keyboard.type('model-2987');
    const chosen = page.getByRole('dialog').locator('[data-selected]');
    await expect(chosen).toContainText('vendor/model-2987');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Copied vendor/model-2987')).toBeVisible();
    expect(await page.evaluate(async () => await navigator.clipboard.readText())).toBe(
      'vendor/model-2987',
    );
  },
);

test('on a narrow page the Tab key passes over the folded rail', async ({ page, harness }) => {
  await page.setViewportSize({ width: 420, height: 800 });
  await harness.open(page, '/clients');
  const menu = page.getByRole('button', { name: 'Open the menu' });
  await menu.focus();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Add a client' })).toBeFocused();
});
