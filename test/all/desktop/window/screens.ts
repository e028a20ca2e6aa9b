import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, type Locator, type Page, test } from '@playwright/test';
import { expectCurrentPicture, savePicture } from '../../../kit/ui/picture.ts';
import { DesktopApp } from '../../../kit/desktop/kit.ts';
import { scriptApp } from '../scripted-app.ts';

/** The app starts an engine again by itself that ended less often. */
const MAX_ENDS = 5;

test.slow();

/** In both appearances, with what it is about in sight. */
async function take(page: Page, name: string, about: Locator): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await about.scrollIntoViewIfNeeded();
    await savePicture(page, `${name}-${colorScheme}.png`);
  }
  await expectCurrentPicture(about, name);
}

test('screenshots of the settings of the app itself', async ({ page }) => {
  const scripted = await scriptApp(page);
  await using app = await DesktopApp.start();
  await app.attachPage(page);
  await page.getByRole('button', { name: 'Skip' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Home' })).toBeVisible();
  const rail = page.getByRole('navigation', { name: 'Screens' });
  await rail.getByRole('link', { name: 'Settings' }).click();
  await scripted.tell({
    startAtLogin: { on: true, settable: true, sentence: null },
    quickChat: { shortcut: 'Control+Alt+G', sentence: null, command: null },
    updates: { name: 'available', version: '0.2.0' },
  });
  const panel = page.getByRole('region', { name: 'This app' });
  await page.getByRole('button', { name: 'This app' }).click();
  await expect(panel.getByRole('button', { name: 'Download 0.2.0' })).toBeVisible();
  await take(page, 'settings-desktop', panel);
});

test('screenshots of an engine that keeps crashing', async ({ page }) => {
  await using app = await DesktopApp.start();
  await app.attachPage(page);
  await page.getByRole('button', { name: 'Skip' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Home' })).toBeVisible();
  const again = page.getByRole('button', { name: 'Start it now' });
  let engine = await app.utility('Gatehouse engine');
  for (let ends = 1; ends < MAX_ENDS; ends += 1) {
    process.kill(engine.pid, 'SIGKILL');
    engine = await app.utility('Gatehouse engine', engine);
    await expect(again).toHaveCount(0);
  }
  process.kill(engine.pid, 'SIGKILL');
  const start = page.getByRole('button', { name: 'Start it again' });
  await expect(start).toBeVisible();
  await take(page, 'engine-stopped', start);
});

test('screenshots of a port that is in use', async ({ page }) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' ? address?.port : 0;
  await using app = await DesktopApp.start({ environment: { GATEHOUSE_PORT: String(port) } });
  await app.attachPage(page);
  const next = page.getByRole('button', { name: /^Use port/u });
  await expect(next).toBeVisible();
  await take(page, 'port-taken', next);
  other.close();
});

test('screenshots of the quick chat', async ({ page }) => {
  await page.setViewportSize({ width: 480, height: 560 });
  await using app = await DesktopApp.start({ args: ['--quick-chat'] });
  await app.attachPage(page);
  await expect(page.getByRole('button', { name: /^Model: aurora/u })).toBeVisible();
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.fill('Which gate of a castle is called a sally port?');
  await message.press('Enter');
  const thread = page.getByRole('log');
  await expect(thread.getByRole('link', { name: 'In History' })).toBeVisible();
  await take(page, 'quick-chat', thread);
});
