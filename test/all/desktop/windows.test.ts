import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { ContractRouterClient } from '@orpc/contract';
import { describe, expect, test } from 'vitest';
import type { DesktopContract } from '../../../shared/desktop/desktop-contract.ts';
import type { WindowSeen } from '../../kit/desktop/electron-mock/transport/messages.ts';
import { DesktopApp } from '../../kit/desktop/kit.ts';

/** Pages that are there at once. */
const EMPTY = { ELECTRON_MOCK_EMPTY_PAGES: '1' };
const MAC = { ...EMPTY, ELECTRON_MOCK_PLATFORM: 'darwin' };
/** Its compositor gives no focus, and Electron does not tell that a page is drawn. */
const WAYLAND = {
  ...EMPTY,
  ELECTRON_MOCK_NO_READY_TO_SHOW: '1',
  ELECTRON_MOCK_NO_FOCUS: '1',
};
const MAIN = { id: 1, workArea: { x: 0, y: 0, width: 1920, height: 1050 }, scaleFactor: 1 };
const SECOND = { id: 2, workArea: { x: 1920, y: 0, width: 2560, height: 1400 }, scaleFactor: 2 };
const KEYS = 'Control+Alt+G';

interface Remembering extends AsyncDisposable {
  readonly dataDir: string;
  readonly kept: () => Promise<unknown>;
}

/** A data folder in which an earlier run has left what it remembers. */
async function remember(remembered: object = {}): Promise<Remembering> {
  const home = await mkdtemp(join(tmpdir(), 'gatehouse-windows-'));
  const dataDir = join(home, 'data');
  const file = join(dataDir, 'desktop', 'window.json');
  await mkdir(join(dataDir, 'desktop'), { recursive: true, mode: 0o700 });
  const known = { place: null, maximized: false, knowsClosing: true, ...remembered };
  await writeFile(file, JSON.stringify(known));
  return {
    dataDir,
    kept: async () => JSON.parse(await readFile(file, 'utf8')),
    [Symbol.asyncDispose]: () => rm(home, { recursive: true }),
  };
}

const windowOf = (app: DesktopApp, is: (window: WindowSeen) => boolean): Promise<WindowSeen> =>
  app.snapshot.until(({ windows }) => [...windows.values()].find(is));

const shows = (app: DesktopApp) =>
  app.snapshot.calls.filter(({ name }) => name === 'BrowserWindow.show');

const dockCalls = (app: DesktopApp) =>
  app.snapshot.calls.filter(({ name }) => name.startsWith('dock.')).map(({ name }) => name);

/** Ends the engine until it is not started again. */
async function wearOut(app: DesktopApp): Promise<void> {
  let engine = await app.utility('Gatehouse engine');
  for (let crash = 1; crash < 5; crash += 1) {
    process.kill(engine.pid, 'SIGKILL');
    await app.menuWith('Start again');
    await app.pick('Start again');
    engine = await app.utility('Gatehouse engine', engine);
  }
  process.kill(engine.pid, 'SIGKILL');
}

describe('a window whose page never reports that it is ready', () => {
  test('is shown anyway, once, although it was requested again meanwhile', async () => {
    await using folder = await remember({ maximized: true });
    await using app = await DesktopApp.start(folder);
    await app.snapshot.until(({ windows }) => windows.size === 1);
    await app.clickTray();
    await windowOf(app, ({ visible, focused, maximized }) => visible && focused && maximized);
    // Maximizing shows it, too.
    expect(shows(app)).toHaveLength(2);
  });

  test('and that cannot be loaded is shown at once, and reloaded when it is requested again', async () => {
    await using folder = await remember();
    const environment = { ELECTRON_MOCK_FAILED_LOADS: '1' };
    await using app = await DesktopApp.start({ ...folder, environment });
    await windowOf(app, ({ visible }) => visible);
    await app.menuWith('Open Gatehouse');
    await app.pick('Open Gatehouse');
    await app.called('loadURL');
    await app.called('loadURL');
  });

  test('because another load replaced it is not reloaded', async () => {
    await using folder = await remember();
    const environment = { ELECTRON_MOCK_FAILED_LOADS: '1', ELECTRON_MOCK_ABORTED_LOADS: '1' };
    await using app = await DesktopApp.start({ ...folder, environment });
    await windowOf(app, ({ visible }) => visible);
    await app.clickTray();
    await app.snapshot.until(() => shows(app).length === 2);
    expect(app.snapshot.calls.filter(({ name }) => name === 'loadURL')).toHaveLength(1);
  });

  test('does not disturb an app that ends meanwhile, and keeps its saved state', async () => {
    await using folder = await remember({ maximized: true });
    await using app = await DesktopApp.start(folder);
    await app.snapshot.until(({ windows }) => windows.size === 1);
    app.quit();
    expect(await app.end()).toBe(0);
    expect(shows(app)).toEqual([]);
    expect(await folder.kept()).toMatchObject({ maximized: true });
  });

  test('is not shown when it was hidden before', async () => {
    await using folder = await remember();
    await using app = await DesktopApp.start({ ...folder, args: ['--quick-chat'] });
    const port = await app.connect('gatehouse:desktop');
    const calls: ContractRouterClient<DesktopContract> = createORPCClient(new RPCLink({ port }));
    await calls.quick.hide();
    await using again = await DesktopApp.start(folder);
    await again.end();
    // Its two seconds begin after those of the quick chat.
    await windowOf(app, ({ window, visible }) => window === 2 && visible);
    expect(app.snapshot.windows.get(1)).toMatchObject({ visible: false });
    await calls.quick.show();
    await windowOf(app, ({ window, visible }) => window === 1 && visible);
  });

  test('is shown by the shortcut of the quick chat, which then hides it although it has no focus', async () => {
    await using folder = await remember({ quickShortcut: KEYS });
    const environment = { ELECTRON_MOCK_NO_FOCUS: '1' };
    await using app = await DesktopApp.start({ ...folder, environment, args: ['--hidden'] });
    await app.menuWith('Quick chat');
    await app.pressKeys(KEYS);
    await app.snapshot.until(({ windows }) => windows.size === 1);
    await app.pressKeys(KEYS);
    await windowOf(app, ({ visible }) => visible);
    await app.pressKeys(KEYS);
    await windowOf(app, ({ visible }) => !visible);
    await app.pressKeys(KEYS);
    const { window } = await windowOf(app, ({ visible }) => visible);
    await app.focusWindow(window);
    await app.pressKeys(KEYS);
    await windowOf(app, ({ visible }) => !visible);
  });
});

describe('on Wayland', () => {
  test.each([
    ['the quick chat', ['--quick-chat']],
    ['the large window', []],
  ])('%s is shown, and notices come beside it', async (_which, args) => {
    await using folder = await remember();
    await using app = await DesktopApp.start({ ...folder, environment: WAYLAND, args });
    await windowOf(app, ({ visible }) => visible);
    await wearOut(app);
    expect(await app.notification()).toMatchObject({ title: 'Gatehouse has stopped' });
  });
});

describe('a page that crashes', () => {
  test('before its window is shown gets another window, which is shown', async () => {
    await using folder = await remember({ maximized: true });
    await using app = await DesktopApp.start(folder);
    await app.snapshot.until(({ windows }) => windows.has(1));
    await app.crashPage(1);
    await windowOf(app, ({ window, visible, maximized }) => window === 2 && visible && maximized);
    expect(app.snapshot.windows.has(1)).toBe(false);
  });

  test('repeatedly is not reloaded until a person asks for it', async () => {
    await using folder = await remember();
    await using app = await DesktopApp.start({ ...folder, environment: EMPTY });
    for (let window = 1; window <= 4; window += 1) {
      await windowOf(app, (seen) => seen.window === window && seen.visible);
      await app.crashPage(window);
    }
    await app.snapshot.until(({ windows }) => windows.size === 0);
    const lines = await readFile(join(folder.dataDir, 'logs', 'engine.log'), 'utf8');
    expect(lines.match(/The page of a window has ended\. reason=crashed/gu)).toHaveLength(4);
    await app.clickTray();
    await windowOf(app, ({ window, visible }) => window === 5 && visible);
  });
});

describe('a full-screen window', () => {
  test('leaves full screen before it is hidden, and the dock icon follows', async () => {
    await using folder = await remember();
    await using app = await DesktopApp.start({ ...folder, environment: MAC });
    await windowOf(app, ({ visible }) => visible);
    await app.fullScreen(1, true);
    await Promise.all([app.closeWindow(), app.closeWindow()]);
    await app.called('BrowserWindow.setFullScreen');
    expect(app.snapshot.windows.get(1)).toMatchObject({ visible: true });
    await app.fullScreen(1, false);
    await windowOf(app, ({ visible, fullScreen }) => !visible && !fullScreen);
    await app.snapshot.until(({ calls }) =>
      calls.some(({ name, args: [is] }) => name === 'dock.hide' && Object(is).isVisible === false),
    );
  });

  test('that the system kept in full screen is asked to leave it again at the next closing', async () => {
    await using folder = await remember();
    await using app = await DesktopApp.start({ ...folder, environment: MAC });
    await windowOf(app, ({ visible }) => visible);
    await app.fullScreen(1, true);
    for (let closing = 1; closing <= 2; closing += 1) {
      await app.closeWindow();
      await app.called('BrowserWindow.setFullScreen');
    }
    await app.fullScreen(1, false);
    await windowOf(app, ({ visible, fullScreen }) => !visible && !fullScreen);
  });

  test.each(['win32', 'linux'])('is hidden as it is on %s', async (platform) => {
    await using folder = await remember();
    const environment = { ...EMPTY, ELECTRON_MOCK_PLATFORM: platform };
    await using app = await DesktopApp.start({ ...folder, environment });
    await windowOf(app, ({ visible }) => visible);
    await app.fullScreen(1, true);
    await app.closeWindow();
    await windowOf(app, ({ visible }) => !visible);
    await app.menuWith('Open Gatehouse');
    await app.pick('Open Gatehouse');
    await windowOf(app, ({ visible }) => visible);
  });

  test('of a tiling window manager is hidden directly', async () => {
    await using folder = await remember();
    const args = ['--quick-chat'];
    await using app = await DesktopApp.start({ ...folder, environment: EMPTY, args });
    await windowOf(app, ({ visible }) => visible);
    await app.fullScreen(1, true);
    await app.closeWindow();
    await windowOf(app, ({ visible }) => !visible);
    await app.menuWith('Quick chat');
    await app.pick('Quick chat');
    await windowOf(app, ({ visible }) => visible);
  });

  test('stays visible when it is requested again before it is hidden', async () => {
    await using folder = await remember();
    await using app = await DesktopApp.start({ ...folder, environment: MAC });
    await windowOf(app, ({ visible }) => visible);
    await app.fullScreen(1, true);
    await app.closeWindow();
    await app.called('BrowserWindow.setFullScreen');
    await using again = await DesktopApp.start({ ...folder, environment: MAC });
    await again.end();
    await app.snapshot.until(() => shows(app).length === 2);
    await app.fullScreen(1, false);
    await windowOf(app, ({ fullScreen }) => !fullScreen);
    expect(app.snapshot.windows.get(1)).toMatchObject({ visible: true });
    expect(app.snapshot.calls.map(({ name }) => name)).not.toContain('dock.hide');
  });

  test('does not prevent a second start or the end of the app', async () => {
    await using folder = await remember();
    await using app = await DesktopApp.start({ ...folder, environment: MAC });
    await windowOf(app, ({ visible }) => visible);
    await app.fullScreen(1, true);
    await using again = await DesktopApp.start({ ...folder, environment: MAC });
    expect(await again.end()).toBe(0);
    await app.snapshot.until(() => shows(app).length === 2);
    expect(app.snapshot.windows.get(1)).toMatchObject({ visible: true, fullScreen: true });
    app.quit();
    expect(await app.end()).toBe(0);
  });
});

test('the dock icon is shown again right after it was hidden, and is not changed while it is shown', async () => {
  await using folder = await remember();
  await using app = await DesktopApp.start({ ...folder, environment: MAC });
  await windowOf(app, ({ visible }) => visible);
  await app.menuWith('Open Gatehouse');
  await app.pick('Open Gatehouse');
  await app.snapshot.until(() => shows(app).length === 2);
  expect(dockCalls(app), 'showing it again would take the focus for a moment').toEqual([]);
  await app.closeWindow();
  await app.pick('Open Gatehouse');
  await app.snapshot.until(() => shows(app).length === 3);
  expect(dockCalls(app).at(-1)).toBe('dock.show');
});

test('the dock icon appears when a person opens the window of an app that the system started', async () => {
  await using folder = await remember();
  await using app = await DesktopApp.start({ ...folder, environment: MAC, args: ['--hidden'] });
  await app.menuWith('Open Gatehouse');
  await app.called('dock.hide');
  await app.pick('Open Gatehouse');
  await windowOf(app, ({ visible }) => visible);
  expect(dockCalls(app).at(-1)).toBe('dock.show');
});

describe('a window that was on a second display', () => {
  const place = { x: 2400, y: 100, width: 1800, height: 1200 };

  test('returns there in its size, although that display has another scale', async () => {
    await using folder = await remember({ place });
    const environment = { ...EMPTY, ELECTRON_MOCK_DISPLAYS: JSON.stringify([MAIN, SECOND]) };
    await using app = await DesktopApp.start({ ...folder, environment });
    expect(await windowOf(app, ({ visible }) => visible)).toMatchObject({ bounds: place });
    app.quit();
    await app.end();
    expect(await folder.kept()).toMatchObject({ place });
  });

  test.each([
    ['unplugged', { id: 3, workArea: { x: 0, y: 0, width: 1366, height: 728 }, scaleFactor: 1 }],
    [
      'moved away',
      { ...SECOND, workArea: { ...SECOND.workArea, x: -2560, width: 1366, height: 728 } },
    ],
  ])('that is %s comes in the middle of the main one, and fits', async (_what, left) => {
    await using folder = await remember({ place });
    const environment = { ...EMPTY, ELECTRON_MOCK_DISPLAYS: JSON.stringify([left]) };
    await using app = await DesktopApp.start({ ...folder, environment });
    const { bounds } = await windowOf(app, ({ visible }) => visible);
    const { workArea } = left;
    expect(bounds).toEqual(workArea);
  });

  test('that is disconnected while the window is hidden moves to the primary display', async () => {
    await using folder = await remember({ place });
    const environment = { ...EMPTY, ELECTRON_MOCK_DISPLAYS: JSON.stringify([MAIN, SECOND]) };
    await using app = await DesktopApp.start({ ...folder, environment });
    await windowOf(app, ({ visible }) => visible);
    await app.closeWindow();
    await windowOf(app, ({ visible }) => !visible);
    await app.displaysAre([MAIN]);
    await app.clickTray();
    const { bounds } = await windowOf(app, ({ visible }) => visible);
    expect(bounds).toEqual({ x: 60, y: 0, width: 1800, height: 1050 });
  });

  test.each([
    { x: 2 ** 40, y: 0, width: 900, height: 700 },
    { x: 40, y: 60, width: -1, height: 700 },
    'here',
  ])('and remembered as %j, which is no place, costs nothing else', async (nonsense) => {
    await using folder = await remember({ place: nonsense });
    await using app = await DesktopApp.start({ ...folder, environment: EMPTY });
    const { bounds } = await windowOf(app, ({ visible }) => visible);
    expect(bounds).toMatchObject({ width: 1280, height: 800 });
    await app.closeWindow();
    await windowOf(app, ({ visible }) => !visible);
  });
});

test('closing the window twice explains once that the app keeps running', async () => {
  await using folder = await remember({ knowsClosing: false });
  await using app = await DesktopApp.start({ ...folder, environment: EMPTY });
  await windowOf(app, ({ visible }) => visible);
  await Promise.all([app.closeWindow(), app.closeWindow()]);
  (await app.dialog()).answer({ button: 0 });
  await windowOf(app, ({ visible }) => !visible);
  expect(app.snapshot.dialogs).toEqual([]);
});

test('on macOS the quick chat leaves the previous program active', async () => {
  await using folder = await remember();
  const args = ['--quick-chat'];
  await using app = await DesktopApp.start({ ...folder, environment: MAC, args });
  expect((await app.called('BrowserWindow')).args[0]).toMatchObject({ type: 'panel' });
});

test.each([
  [[], true],
  [['--no-sandbox'], false],
])('started with %j it asks for the sandbox of all pages: %s', async (args, asks) => {
  await using app = await DesktopApp.start({ args });
  const { args: options } = await app.called('BrowserWindow');
  expect(options[0]).toMatchObject({ webPreferences: { sandbox: true } });
  expect(app.snapshot.calls.some(({ name }) => name === 'app.enableSandbox')).toBe(asks);
});

test('on Linux the windows set their icon', async () => {
  await using app = await DesktopApp.start();
  const { args } = await app.called('BrowserWindow');
  const bytes = await readFile(String(Reflect.get(Object(args[0]), 'icon')));
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
});
