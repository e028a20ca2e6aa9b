import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { APP_ID } from '../../../electron/app-id.ts';
import type { MenuLine } from '../../kit/desktop/electron-mock/transport/messages.ts';
import { DesktopApp } from '../../kit/desktop/kit.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const MAIN = pathToFileURL(join(ROOT, 'out', 'desktop', 'main.js')).href;
const SITE = 'https://github.com/someone/gatehouse';

const packageJson: Record<'version' | 'description' | 'desktopName', string> = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
);

async function startOn(
  platform: NodeJS.Platform,
  packed = '1',
  main?: string,
): Promise<DesktopApp> {
  return await DesktopApp.start({
    args: ['--hidden'],
    environment: { ELECTRON_MOCK_PLATFORM: platform, ELECTRON_MOCK_PACKAGED: packed },
    ...(main === undefined ? {} : { main }),
  });
}

/** The app in a package of its own, with these fields in its description. */
async function packageWith(fields: object): Promise<AsyncDisposable & { readonly main: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-package-'));
  const main = join(folder, 'main.js');
  await writeFile(main, `import '${MAIN}';`);
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'gatehouse', productName: 'Gatehouse', type: 'module', ...fields }),
  );
  return { main, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

const DESCRIBED = {
  version: '1.2.3',
  description: 'A proxy.',
  license: 'MIT',
  author: 'Someone <someone@example.com>',
  homepage: SITE,
};

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
    Help: [],
  });
  await app.pickOfApp('Gatehouse', 'Settings…');
  expect(await app.snapshot.until(({ windows }) => windows.get(1)?.url || null)).toMatch(
    /\/settings$/u,
  );
});

test.each(['linux', 'win32'] as const)(
  'on %s it has the same, About and Quit, and About stands in the tray, too',
  async (platform) => {
    await using app = await startOn(platform, '0');
    expect(await menuOf(app)).toEqual({
      File: ['Open Gatehouse', 'Quick chat', 'Settings…', 'Quit'],
      editMenu: [],
      View: [...VIEW, 'reload', 'forceReload', 'toggleDevTools'],
      windowMenu: [],
      Help: ['About Gatehouse'],
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
      iconPath: expect.stringMatching(/app\.png$/u),
    });
    expect(existsSync(String(Reflect.get(Object(options), 'iconPath')))).toBe(true);
    await app.pick('About Gatehouse');
    await app.called('app.showAboutPanel');
    await app.pickOfApp('Help', 'About Gatehouse');
    await app.called('app.showAboutPanel');
    await app.pickOfApp('File', 'Quit');
    expect(await app.end()).toBe(0);
  },
);

test('off macOS Alt shows the menu of the main window, because a desktop may have no tray', async () => {
  await using app = await DesktopApp.start();
  const { args } = await app.called('BrowserWindow');
  expect(args[0]).toMatchObject({ autoHideMenuBar: true });
});

describe('an app that has a site', () => {
  test('opens the site after the same confirmation as any link, once', async () => {
    await using packed = await packageWith(DESCRIBED);
    await using app = await startOn('linux', '1', packed.main);
    const { Help } = await menuOf(app);
    expect(Help).toEqual(['Gatehouse on the web', 'About Gatehouse']);
    expect((await app.called('app.setAboutPanelOptions')).args[0]).toMatchObject({
      applicationVersion: '1.2.3',
      copyright: '© Someone. MIT license.',
      website: SITE,
    });
    await Promise.all([0, 1].map(() => app.pickOfApp('Help', 'Gatehouse on the web')));
    const dialog = await app.dialog();
    expect(dialog.options).toMatchObject({ detail: SITE });
    dialog.answer({ button: 0 });
    expect((await app.called('shell.openExternal')).args).toEqual([SITE]);
    expect(app.snapshot.dialogs).toEqual([]);
  });
});

test('a package that does not describe itself starts, and About shows its name and version', async () => {
  await using packed = await packageWith({ version: '1.2.3', homepage: 'nowhere' });
  await using app = await startOn('linux', '1', packed.main);
  expect(await menuOf(app)).toMatchObject({ Help: ['About Gatehouse'] });
  expect((await app.called('app.setAboutPanelOptions')).args[0]).toEqual({
    applicationName: 'Gatehouse',
    applicationVersion: '1.2.3',
    version: '',
    iconPath: expect.stringMatching(/app\.png$/u),
  });
  await app.menuWith('Quit');
  const log = await readFile(join(app.dataDir, 'logs', 'engine.log'), 'utf8');
  expect(log).toContain('The About panel shows name and version only.');
});

test('Linux knows the app by the name of its desktop entry', () => {
  expect(packageJson.desktopName).toBe(`${APP_ID}.desktop`);
});
