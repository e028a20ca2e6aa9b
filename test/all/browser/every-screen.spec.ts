import type { Page } from '@playwright/test';
import { expectAccessible } from '../../kit/ui/axe.ts';
import type { Harness } from '../../kit/ui/harness.ts';
import { expect, test } from '../../kit/ui/kit.ts';

const SCREENS = [
  ['/', 'Home'],
  ['/chat', 'Chat'],
  ['/models', 'Models'],
  ['/history', 'History'],
  ['/history/runs', 'Runs'],
  ['/history/compare', 'Compare'],
  ['/videos', 'Videos'],
  ['/videos/new', 'New video'],
  ['/clients', 'Clients'],
  ['/usage', 'Usage'],
  ['/usage/reconcile', 'Compare with an export'],
  ['/prices', 'Prices'],
  ['/doctor', 'Doctor'],
  ['/settings', 'Settings'],
  ['/welcome', 'First steps'],
] as const;
const WIDTHS = [900, 420, 1280];
const SCHEMES = ['light', 'dark'] as const;

/** Something of everything: exchanges that worked, were repaired, failed, and one on its way. */
async function addExchanges(harness: Harness): Promise<void> {
  await harness.ask({ stream: true });
  await harness.ask({ protocol: 'messages', path: '/v1/messages/v1/messages' });
  await harness.ask({ model: 'Aurora Small' });
  await harness.ask({ scenario: 'error-500' });
  await harness.ask({ model: 'no/such-model' });
  await harness.begin({ stream: true, scenario: 'slow-stream=60000' });
}

for (const [path, name] of SCREENS) {
  test(`${name} is accessible, light and dark, wide and narrow`, async ({ harness, page }) => {
    test.slow();
    await addExchanges(harness);
    await harness.open(page, path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      await test.step(`${width} px`, async () => await expectNoSidewaysScroll(page));
    }
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await test.step(colorScheme, async () => await expectAccessible(page));
    }
    await page.setViewportSize({ width: 420, height: 800 });
    await test.step('narrow', async () => await expectAccessible(page));
  });
}

test('every empty screen is accessible', async ({ harness, page }) => {
  test.slow();
  for (const [path] of SCREENS) {
    await test.step(path, async () => {
      await harness.open(page, path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await expectAccessible(page);
    });
  }
});

test('the details of an exchange are accessible', async ({ harness, page }) => {
  const { exchangeId } = await harness.ask({ path: '/v1/chat/completions/v1/chat/completions' });
  await harness.open(page, `/history?exchange=${encodeURIComponent(JSON.stringify(exchangeId))}`);
  await expect(page.getByText(exchangeId).first()).toBeVisible();
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }
});

test('the navigation rail works with the keyboard alone', async ({ harness, page }) => {
  await harness.open(page, '/settings');
  const rail = page.getByRole('navigation', { name: 'Screens' });
  for (const name of [
    'Home',
    'Chat',
    'Models',
    'History',
    'Usage',
    'Prices',
    'Videos',
    'Clients',
  ]) {
    const link = rail.getByRole('link', { name, exact: true });
    await tabTo(page, async () => await link.evaluate((node) => node === document.activeElement));
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
  }
});

test('the palette opens a screen with the keyboard alone', async ({ harness, page }) => {
  await harness.open(page, '/');
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('textbox', { name: 'Go to' })).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.type('settings');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
});

test('? shows the keyboard shortcuts, and Esc closes them', async ({ harness, page }) => {
  await harness.open(page, '/');
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keyboard' });
  await expect(keys).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(keys).toBeHidden();
});

test('on a narrow screen the rail collapses and a button opens it', async ({ harness, page }) => {
  await page.setViewportSize({ width: 420, height: 800 });
  await harness.open(page, '/models');
  const link = page.getByRole('link', { name: 'Clients', exact: true });
  await expect(link).not.toBeInViewport();
  await page.getByRole('button', { name: 'Open the menu' }).click();
  await link.click();
  await expect(page.getByRole('heading', { level: 1, name: 'Clients' })).toBeVisible();
  await expect(link).not.toBeInViewport();
});

/** Returns the elements that overflow, if any. A chart takes a moment to fit a new width. */
async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const sticksOut = async () =>
    await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      if (scrollWidth <= clientWidth) return [];
      return [...document.querySelectorAll('main *')]
        .filter((element) => element.getBoundingClientRect().right > clientWidth)
        .map(({ outerHTML }) => outerHTML.slice(0, 120));
    });
  await expect.poll(sticksOut, 'what is wider than the window').toEqual([]);
}

/** Presses Tab until the focus is there. */
async function tabTo(page: Page, there: () => Promise<boolean>): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    if (await there()) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('Tab never got there.');
}
