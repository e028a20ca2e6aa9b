import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { APP_ID } from '../../electron/app-id.ts';
import type { MenuLine } from './double/letters.ts';
import { DesktopApp } from './kit.ts';

const packageJson: Record<'version' | 'description' | 'homepage' | 'desktopName', string> =
  JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'));

async function startOn(platform: NodeJS.Platform, packed = '1'): Promise<DesktopApp> {
  return await DesktopApp.start({
    args: ['--hidden'],
    environment: { ELECTRON_DOUBLE_PLATFORM: platform, ELECTRON_DOUBLE_PACKAGED: packed },
  });
}

const namesOf = (items: readonly MenuLine[]) =>
  items.filter(({ type }) => type !== 'separator').map(({ label }) => label);

/** The menu of the app, by its titles. */
async function menuOf(app: DesktopApp): Promise<Record<string, readonly string[]>> {
  const { args } = await app.called('Menu.setApplicationMenu');
  const lines: readonly MenuLine[] = JSON.parse(JSON.stringify(args[0]));
  return Object.fromEntries(lines.map(({ label, submenu }) => [label, namesOf(submenu)]));
}

const VIEW = ['resetZoom', 'zoomIn', 'zoomOut', 'togglefullscreen'];

test('the menu of macOS is complete and named after the app', async () => {
  await using app = await startOn('darwin');
  expect(await menuOf(app)).toEqual({
    Gatehouse: [
      'About Gatehouse',
      'Settings…',
      'services',
      'Hide Gatehouse',
      'hideOthers',
      'unhide',
      'Quit Gatehouse',
    ],
    File: ['Open Gatehouse', 'Quick chat', 'close'],
    editMenu: [],
    View: VIEW,
    windowMenu: [],
    Help: ['Gatehouse on the web'],
  });
  await app.pickOfApp('Gatehouse', 'Settings…');
  expect(await app.seen.until(({ windows }) => windows.get(1)?.url || null)).toMatch(
    /\/settings$/u,
  );
});

test.each(['linux', 'win32'] as const)(
  'on %s its keys are there, and About in the tray',
  async (platform) => {
    await using app = await startOn(platform, '0');
    expect(await menuOf(app)).toEqual({
      File: ['Open Gatehouse', 'Quick chat', 'Settings…'],
      editMenu: [],
      View: [...VIEW, 'reload', 'forceReload', 'toggleDevTools'],
      windowMenu: [],
      Help: ['Gatehouse on the web', 'About Gatehouse'],
    });
    const { args } = await app.called('app.setAboutPanelOptions');
    const [options] = args;
    expect(options).toEqual({
      applicationName: 'Gatehouse',
      applicationVersion: packageJson.version,
      version: '',
      copyright: '© Gatehouse contributors. MIT license.',
      credits: packageJson.description,
      authors: ['Gatehouse contributors'],
      website: packageJson.homepage,
      iconPath: expect.stringMatching(/app\.png$/u),
    });
    expect(existsSync(String(Reflect.get(Object(options), 'iconPath')))).toBe(true);
    await app.pick('About Gatehouse');
    await app.called('app.showAboutPanel');
    await app.pickOfApp('Help', 'About Gatehouse');
    await app.called('app.showAboutPanel');
  },
);

test('the site is opened after the same question as any link, once', async () => {
  await using app = await startOn('darwin');
  await app.called('Menu.setApplicationMenu');
  await Promise.all([0, 1].map(() => app.pickOfApp('Help', 'Gatehouse on the web')));
  const dialog = await app.dialog();
  expect(dialog.options).toMatchObject({ detail: `${packageJson.homepage}/` });
  dialog.answer({ button: 0 });
  expect((await app.called('shell.openExternal')).args).toEqual([`${packageJson.homepage}/`]);
  expect(app.seen.dialogs).toEqual([]);
});

test('Linux knows the app by the name of its entry among the applications', () => {
  expect(packageJson.desktopName).toBe(`${APP_ID}.desktop`);
});
