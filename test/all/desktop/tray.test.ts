import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DesktopApp } from '../../kit/desktop/kit.ts';
import { chat, engineOf, openFolder } from './served.ts';

/** The app as another system has it, with nothing but its tray. */
async function startOn(platform: NodeJS.Platform, dataDir: string): Promise<DesktopApp> {
  const environment = { ELECTRON_MOCK_PLATFORM: platform };
  return await DesktopApp.start({ dataDir, args: ['--hidden'], environment });
}

/** Resolves with whether the state was reached, or a click was lost before. */
async function outcome(app: DesktopApp, words: string): Promise<string> {
  return await app.snapshot.until(({ calls, tray }) =>
    calls.some(({ name }) => name === 'Tray: the click is lost')
      ? 'the click is lost'
      : tray?.menu.some(({ label }) => label === words) === true && words,
  );
}

test.each(['darwin', 'win32'] as const)(
  'on %s a click is not lost when the state has changed many times while the menu was open',
  async (platform) => {
    await using folder = await openFolder();
    await using app = await startOn(platform, folder.dataDir);
    const engine = await engineOf(app);
    await app.trayMenu('menu-will-show');
    const asked = Array.from({ length: 5 }, () => chat(engine, folder.localKey, 'bad-key-echo'));
    for (const { status } of await Promise.all(asked)) expect(status).toBe(401);
    // The icon does not wait, and the menu that is read stays.
    await app.snapshot.until(({ tray }) => tray?.toolTip === 'Gatehouse: Key refused');
    expect(app.snapshot.tray?.menu[0]?.label).toMatch(/^Running with /u);
    await app.pick('Pause');
    expect(await outcome(app, 'Paused')).toBe('Paused');

    // Opened again at once, closed without a choice, and opened before another menu can be there.
    for (const event of ['show', 'close', 'show', 'close', 'show'] as const) {
      await app.trayMenu(`menu-will-${event}`);
    }
    await app.pick('Resume');
    expect(await outcome(app, 'Key refused')).toBe('Key refused');
    await app.trayMenu('menu-will-show');
    await app.pick('Quit');
    expect(await app.end()).toBe(0);
  },
);

test('the tray icon follows the theme of the taskbar on Windows and of programs on Linux, and is a template on macOS', async () => {
  await using folder = await openFolder();
  const seen: Record<string, string[]> = {};
  for (const platform of ['win32', 'linux', 'darwin'] as const) {
    await using app = await startOn(platform, folder.dataDir);
    const images: string[] = [];
    seen[platform] = images;
    const look = (): void => {
      const image = app.snapshot.tray?.image ?? '';
      expect(existsSync(image), image).toBe(true);
      images.push(image.replace(/^.*tray-normal/u, ''));
    };
    await app.menuWith(/^Running with /u);
    for (const [programs, panels] of [
      ['light', 'dark'],
      ['dark', 'light'],
    ] as const) {
      await app.themeIs(programs, panels);
      look();
    }
    app.quit();
    await app.end();
  }
  expect(seen).toEqual({
    win32: ['-dark.ico', '-light.ico'],
    linux: ['-light.png', '-dark.png'],
    darwin: ['Template.png', 'Template.png'],
  });
});
