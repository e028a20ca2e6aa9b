import type { Page } from '@playwright/test';
import { expect, test } from '../../kit/ui/kit.ts';

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
  await expect(page.getByRole('combobox', { name: 'Program' })).toBeFocused();
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

test('keys typed while the palette loads go into its input, and Escape cancels @browser', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/');
  const { promise: isTyped, resolve: load } = Promise.withResolvers<void>();
  await page.route(/\/assets\/command-palette-.*\.js$/u, async (route) => {
    await isTyped;
    await route.continue();
  });
  await page.keyboard.press('Control+k');
  await page.keyboard.press('x');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('?hisx');
  await page.keyboard.press('Backspace');
  load();
  await expect(palette(page)).toBeFocused();
  await expect(palette(page)).toHaveValue('?his');
  await expect(page.getByRole('dialog')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(palette(page)).toHaveCount(0);
  await page.keyboard.press('Control+k');
  await expect(palette(page)).toBeFocused();
});

test('keys typed before the input of a loaded palette has the focus go into it', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/');
  await page.keyboard.press('Control+k');
  await expect(palette(page)).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(palette(page)).toHaveCount(0);
  await page.evaluate(() => {
    for (const key of 'kauro') {
      const code = `Key${key.toUpperCase()}`;
      const init = { key, code, ctrlKey: key === 'k', bubbles: true, cancelable: true };
      document.body.dispatchEvent(new KeyboardEvent('keydown', init));
    }
  });
  await expect(palette(page)).toHaveValue('auro');
  await page.keyboard.type('ra');
  await expect(palette(page)).toHaveValue('aurora');
});

test('on a narrow page the Tab key passes over the folded rail', async ({ page, harness }) => {
  await page.setViewportSize({ width: 420, height: 800 });
  await harness.open(page, '/clients');
  const menu = page.getByRole('button', { name: 'Open the menu' });
  await menu.focus();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Limits for all clients together' })).toBeFocused();
});
