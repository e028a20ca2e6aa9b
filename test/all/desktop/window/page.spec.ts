import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Page } from '@playwright/test';
import { expectAccessible } from '../../../kit/ui/axe.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import { DesktopApp } from '../../../kit/desktop/kit.ts';
import { scriptApp } from '../scripted-app.ts';
import { chat, engineOf, openFolder } from '../served.ts';

const FIRST_STEPS = { level: 1, name: 'First steps' };

async function goTo(page: Page, address: unknown): Promise<void> {
  await page.evaluate(
    (value) => window.postMessage({ channel: 'gatehouse:go', value }, location.origin),
    address,
  );
}

test('a port in use is reported before any screen, and the next free one is a click away', async ({
  page,
}) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' ? address?.port : 0;
  await using app = await DesktopApp.start({ environment: { GATEHOUSE_PORT: String(port) } });
  await app.attachPage(page);
  await expect(page.getByRole('status')).toContainText(`Port ${port} is used by`);
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: /^Use port \d+ for now$/u }).click();
  await expect(page.getByRole('heading', FIRST_STEPS)).toBeVisible();
  other.close();
});

test('an engine that stops is reported with a button to start it, and the screens return', async ({
  page,
}) => {
  await using app = await DesktopApp.start();
  await app.attachPage(page);
  await expect(page.getByRole('heading', FIRST_STEPS)).toBeVisible();
  const notice = page.getByRole('status').filter({ hasText: 'This page may be out of date.' });
  // The first pauses before it starts again by itself are too short for a click.
  for (let crash = 0; crash < 3; crash += 1) {
    await expect(notice).toHaveCount(0);
    const engine = await app.utility('Gatehouse engine');
    process.kill(engine.pid, 'SIGKILL');
    await expect(notice).toContainText('requests of your clients fail');
  }
  await notice.getByRole('button', { name: 'Start it now' }).click();
  await expect(notice).toHaveCount(0);
  await page.getByRole('button', { name: 'Skip' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Home' })).toBeVisible();
});

test('the app navigates its window to its own screens only', async ({ page }) => {
  await using app = await DesktopApp.start();
  await app.attachPage(page);
  await expect(page.getByRole('heading', FIRST_STEPS)).toBeVisible();
  const { origin } = new URL(page.url());
  for (const address of ['https://example.com/', '//example.com/', '/\\example.com', 'x', null]) {
    await goTo(page, address);
  }
  await expect(page.getByRole('heading', FIRST_STEPS)).toBeVisible();
  await goTo(page, '/history?filter=failed');
  await expect(page.getByRole('heading', { level: 1, name: 'History' })).toBeVisible();
  expect(page.url()).toBe(`${origin}/history?filter=failed`);
});

test('an installed app can start at login, and keeps that setting', async ({ page }) => {
  await using app = await DesktopApp.start({ environment: { ELECTRON_MOCK_PACKAGED: '1' } });
  await app.attachPage(page);
  await expect(page.getByRole('heading', FIRST_STEPS)).toBeVisible();
  await goTo(page, '/settings');
  const atLogin = page.getByRole('switch', { name: 'Start at login' });
  await atLogin.press('Space');
  await expect(atLogin).toBeChecked();
  await page.reload();
  await expect(atLogin).toBeChecked();
});

test('an update is checked for, downloaded and installed, each when a person asks for it', async ({
  page,
}) => {
  const scripted = await scriptApp(page);
  await using app = await DesktopApp.start();
  await app.attachPage(page);
  await expect(page.getByRole('heading', FIRST_STEPS)).toBeVisible();
  await goTo(page, '/settings');
  const panel = page.getByRole('region', { name: 'This app' });
  await expect(panel).toContainText('Not checked yet.');
  await scripted.tell({ updates: { name: 'idle', checkedAt: Date.now() } });
  await expect(panel).toContainText('Up to date, checked ');
  await panel.getByRole('button', { name: 'Check for updates' }).click();
  expect(await scripted.asked()).toEqual(['/updates/check', undefined]);
  await scripted.tell({ updates: { name: 'available', version: '9.0.0' } });
  await expect(panel).toContainText('Version 9.0.0 is available.');
  await panel.getByRole('button', { name: 'Download 9.0.0' }).click();
  expect(await scripted.asked()).toEqual(['/updates/download', undefined]);
  await scripted.tell({ updates: { name: 'downloading', version: '9.0.0', percent: 42 } });
  await expect(panel.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '42');
  await scripted.tell({ updates: { name: 'ready', version: '9.0.0' } });
  await expect(panel).toContainText('9.0.0 is downloaded.');
  await panel.getByRole('button', { name: 'Restart' }).click();
  expect(await scripted.asked()).toEqual(['/updates/restart', { when: 'idle' }]);
  await scripted.tell({ updates: { name: 'failed', sentence: 'The feed did not answer.' } });
  await expect(panel).toContainText('The feed did not answer.');
  await expect(panel.getByRole('button', { name: 'Check again' })).toBeVisible();
});

test('the shortcut of the quick chat is recorded, shown in the notation of the system, refused with a reason and cleared', async ({
  page,
}) => {
  await using app = await DesktopApp.start({
    environment: { ELECTRON_MOCK_TAKEN: 'Control+Alt+H' },
  });
  await app.attachPage(page);
  await expect(page.getByRole('heading', FIRST_STEPS)).toBeVisible();
  await goTo(page, '/settings');
  const panel = page.getByRole('region', { name: 'This app' });
  const keys = panel.getByRole('button', { name: /^Quick chat shortcut: / });
  await keys.press('Enter');
  await expect(keys).toHaveText('Press the keys…');
  await page.keyboard.press('Control+g');
  await expect(panel.getByRole('alert')).toContainText('Other programs need these keys.');
  await page.keyboard.press('Control+Alt+h');
  await expect(panel.getByRole('alert')).toContainText('Ctrl+Alt+H belongs to another program');
  await page.keyboard.press('Control+Alt+g');
  await expect(keys).toHaveText('Ctrl+Alt+G');
  await expect(panel.getByRole('alert')).toBeEmpty();
  await expectAccessible(page);
  await keys.press('Enter');
  await page.keyboard.press('Escape');
  await expect(keys).toHaveText('Ctrl+Alt+G');
  expect(await app.pressKeys('Control+Alt+G')).toBe(true);
  await panel.getByRole('button', { name: 'Remove the shortcut' }).click();
  await expect(keys).toHaveText('Set a shortcut');
  expect(await app.pressKeys('Control+Alt+G')).toBe(false);
  await panel.getByRole('button', { name: 'Open' }).click();
  await app.snapshot.until(({ windows }) => windows.get(2));
});

for (const [how, scenario, outcome] of [
  ['once what runs has ended, also by a double click', 'slow-first-byte=3000', 200],
  ['at once when it is asked again', 'slow-first-byte=300000', 'cut'],
] as const) {
  test(`Settings quits the app ${how}`, async ({ page }) => {
    await using folder = await openFolder();
    await using app = await DesktopApp.start({ dataDir: folder.dataDir });
    await app.attachPage(page);
    await goTo(page, '/settings');
    const panel = page.getByRole('region', { name: 'This app' });
    const quit = panel.getByRole('button', { name: 'Quit', exact: true });
    await expect(quit).toBeVisible();
    const answer = chat(await engineOf(app), folder.localKey, scenario).then(
      ({ status }) => status,
      () => 'cut',
    );
    await app.called('powerSaveBlocker.start');
    await quit.dblclick();
    if (outcome === 'cut') {
      await expect(panel).toContainText(
        'Gatehouse closes when 1 request has ended, or after a minute.',
      );
      await expectAccessible(page);
      await panel.getByRole('button', { name: 'Quit at once' }).click();
    }
    expect(await answer).toBe(outcome);
    expect(await app.end()).toBe(0);
  });
}

test('Settings shows a command for a shortcut of the desktop, and what the system does not support', async ({
  page,
}) => {
  const scripted = await scriptApp(page);
  await using app = await DesktopApp.start();
  await app.attachPage(page);
  await expect(page.getByRole('heading', FIRST_STEPS)).toBeVisible();
  await goTo(page, '/settings');
  const command = '/opt/Gatehouse/gatehouse-desktop --quick-chat';
  await scripted.tell({
    startAtLogin: { on: false, settable: true, sentence: 'It was switched off in Task Manager.' },
    quickChat: { shortcut: null, sentence: 'Have it run this command:', command },
    notices: 'The system did not show the last notification.',
  });
  const panel = page.getByRole('region', { name: 'This app' });
  await expect(panel.getByText(command)).toBeVisible();
  await expect(panel.getByRole('button', { name: 'Copy the command' })).toBeEnabled();
  await expect(panel).toContainText('The system did not show the last notification.');
  await panel.getByRole('switch', { name: 'Start at login' }).press('Space');
  expect(await scripted.asked()).toEqual(['/setStartAtLogin', { on: true }]);
  await expectAccessible(page);
  await scripted.tell({
    quickChat: { shortcut: null, sentence: null, command: null },
    notices: null,
  });
  await expect(panel.getByText(command)).toHaveCount(0);
  await expect(panel.getByText('Notifications')).toHaveCount(0);
});
