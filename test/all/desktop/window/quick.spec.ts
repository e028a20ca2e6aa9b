import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import type { DesktopState } from '../../../../shared/desktop/desktop-contract.ts';
import { expectAccessible } from '../../../kit/ui/axe.ts';
import { DesktopApp } from '../../../kit/desktop/kit.ts';
import { callsOf, stateOf } from '../served.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const KEYS = 'Control+Alt+G';
const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A data folder in which an earlier run has left what it remembers. */
async function remember(remembered: object): Promise<string> {
  const dataDir = test.info().outputPath('data');
  await mkdir(join(dataDir, 'desktop'), { recursive: true, mode: 0o700 });
  const known = { place: null, maximized: false, knowsClosing: true, ...remembered };
  await writeFile(join(dataDir, 'desktop', 'window.json'), JSON.stringify(known));
  return dataDir;
}

async function quickChatOf(app: DesktopApp): Promise<DesktopState['quickChat']> {
  return (await stateOf(app)).quickChat;
}

/** The main process says so when it shows the small window again; `new` after more than ten minutes. */
async function comeBack(page: Page, value: 'new' | 'on'): Promise<void> {
  await page.evaluate(
    (how) => window.postMessage({ channel: 'gatehouse:quick', value: how }, location.origin),
    value,
  );
}

test('the quick chat opens from the tray and by its shortcut, above other windows and where it was, and hides without a question', async ({
  page,
}) => {
  const place = { x: 40, y: 60, width: 500, height: 600 };
  const dataDir = await remember({ quickPlace: place, quickShortcut: KEYS });
  await using app = await DesktopApp.start({ dataDir, args: ['--hidden'] });
  await app.menuWith('Quick chat');
  await app.pick('Quick chat');
  const { args } = await app.called('BrowserWindow');
  expect(args[0]).toMatchObject({
    ...place,
    alwaysOnTop: true,
    skipTaskbar: true,
    show: false,
    webPreferences: { sandbox: true, contextIsolation: true, nodeIntegration: false },
  });
  const is = (visible: boolean) =>
    app.snapshot.until(({ windows }) => windows.get(1)?.visible === visible);
  await app.attachPage(page);
  await is(true);
  expect(app.snapshot.windows.get(1)?.url).toMatch(/^app:\/\/ui\/quick/u);
  expect(await app.pressKeys(KEYS)).toBe(true);
  await is(false);
  await app.pressKeys(KEYS);
  await is(true);
  await app.closeWindow(1);
  await is(false);
  await using again = await DesktopApp.start({ dataDir, args: ['--quick-chat'] });
  expect(await again.end(), 'a second start asks the first one').toBe(0);
  await is(true);
  expect(app.snapshot.dialogs).toEqual([]);
  app.quit();
  expect(await app.end()).toBe(0);
  const kept: unknown = JSON.parse(await readFile(join(dataDir, 'desktop', 'window.json'), 'utf8'));
  expect(kept).toMatchObject({ quickPlace: place, quickShortcut: KEYS });
});

test('the shortcut is empty until a person sets one, survives a restart, and can be cleared', async () => {
  const dataDir = test.info().outputPath('data');
  {
    await using app = await DesktopApp.start({ dataDir });
    expect(await quickChatOf(app)).toEqual({ shortcut: null, sentence: null, command: null });
    expect(await app.pressKeys(KEYS)).toBe(false);
    const { setQuickShortcut } = await callsOf(app);
    await expect(setQuickShortcut({ shortcut: 'Control+C' })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    await setQuickShortcut({ shortcut: 'Alt+Space' });
    await setQuickShortcut({ shortcut: KEYS });
    expect(await app.pressKeys('Alt+Space'), 'the ones of before are free').toBe(false);
    app.quit();
    await app.end();
  }
  await using app = await DesktopApp.start({ dataDir });
  expect(await quickChatOf(app)).toEqual({ shortcut: KEYS, sentence: null, command: null });
  expect(await app.pressKeys(KEYS)).toBe(true);
  const { setQuickShortcut } = await callsOf(app);
  await setQuickShortcut({ shortcut: null });
  expect(await app.pressKeys(KEYS)).toBe(false);
  expect(await quickChatOf(app)).toEqual({ shortcut: null, sentence: null, command: null });
});

test('a shortcut of another program is reported, at the start and when it is set, and the previous one stays', async () => {
  const dataDir = await remember({ quickShortcut: KEYS });
  const environment = { ELECTRON_MOCK_TAKEN: `${KEYS} Alt+F2` };
  await using app = await DesktopApp.start({ dataDir, environment });
  const reported = 'Ctrl+Alt+G belongs to another program, or to the system.';
  expect(await quickChatOf(app)).toMatchObject({
    shortcut: KEYS,
    sentence: expect.stringContaining(reported),
  });
  const { setQuickShortcut } = await callsOf(app);
  await setQuickShortcut({ shortcut: 'Alt+F1' });
  await expect(setQuickShortcut({ shortcut: 'Alt+F2' })).rejects.toMatchObject({
    code: 'REFUSED',
    message: expect.stringMatching(/^Alt\+F2 belongs to another program/u),
  });
  expect(await quickChatOf(app)).toEqual({ shortcut: 'Alt+F1', sentence: null, command: null });
  expect(await app.pressKeys('Alt+F1')).toBe(true);
});

test('on Wayland Settings explains the limits and has a command for a shortcut of the desktop', async () => {
  const shared = test.info().outputPath('share');
  const dataDir = test.info().outputPath("it's here");
  const put = async (folder: string, name: string, text: string): Promise<void> => {
    await mkdir(join(shared, folder), { recursive: true });
    await writeFile(join(shared, folder, name), text);
  };
  const environment = {
    WAYLAND_DISPLAY: 'wayland-0',
    XDG_DATA_DIRS: shared,
    XDG_DATA_HOME: shared,
    ELECTRON_MOCK_TAKEN: 'Alt+F2',
    ELECTRON_MOCK_DECLINED: KEYS,
  };
  await using app = await DesktopApp.start({ dataDir, environment });
  const { setQuickShortcut } = await callsOf(app);
  const dir = dataDir.replace("'", String.raw`'\''`);
  const known = async () => {
    const { shortcut, sentence, command } = await quickChatOf(app);
    expect(command).toBe(
      sentence && `env 'GATEHOUSE_DATA_DIR=${dir}' ${process.execPath} ${ROOT} --quick-chat`,
    );
    return [shortcut, sentence];
  };
  const byHand =
    'You can set a shortcut in the settings of the desktop itself instead. Have it run this command:';
  const none = 'This desktop offers programs no shortcuts.';
  expect(await known()).toEqual([null, `${none} ${byHand}`]);
  await expect(setQuickShortcut({ shortcut: 'Alt+F2' })).rejects.toThrow(
    `The desktop did not give Gatehouse Alt+F2. ${none}`,
  );

  await put(
    'xdg-desktop-portal/portals',
    'some.portal',
    'Interfaces=org.freedesktop.impl.portal.GlobalShortcuts',
  );
  const sources =
    'Newer desktops give shortcuts only to programs that are installed as a package, and this copy is not.';
  await setQuickShortcut({ shortcut: KEYS });
  expect(await app.pressKeys(KEYS), 'nobody tells that it was declined').toBe(false);
  expect(await known()).toEqual([KEYS, `${sources} ${byHand}`]);

  await put('applications', 'dev.gatehouse.app.desktop', '');
  await setQuickShortcut({ shortcut: KEYS });
  const [, asked] = await known();
  expect(asked).toMatch(/^On Wayland the desktop may ask you to allow it, .+ this command:$/u);
  await expect(setQuickShortcut({ shortcut: 'Alt+F2' })).rejects.toThrow(
    'The desktop did not give Gatehouse Alt+F2. It does not say why.',
  );
  await setQuickShortcut({ shortcut: null });
  expect(await known()).toEqual([null, null]);
});

for (const [how, appImage] of [
  ['a package of the system', undefined],
  ['an AppImage', '/home/me/my apps/Gatehouse.AppImage'],
] as const) {
  test(`the command of ${how} starts that copy`, async () => {
    const environment: NodeJS.ProcessEnv = {
      WAYLAND_DISPLAY: 'wayland-0',
      XDG_DATA_DIRS: test.info().outputPath('share'),
      ELECTRON_MOCK_PACKAGED: '1',
    };
    if (appImage !== undefined) environment['APPIMAGE'] = appImage;
    await using app = await DesktopApp.start({ environment });
    const program = appImage === undefined ? process.execPath : `'${appImage}'`;
    expect((await quickChatOf(app)).command).toBe(
      `env GATEHOUSE_DATA_DIR=${app.dataDir} ${program} --quick-chat`,
    );
  });
}

test('a question in the quick chat is kept when it is shown again and continues in the window; a restarted engine reaches both', async ({
  page,
  context,
}) => {
  const dataDir = await remember({ quickShortcut: KEYS });
  await using app = await DesktopApp.start({ dataDir, args: ['--quick-chat'] });
  await page.setViewportSize({ width: 480, height: 560 });
  await app.attachPage(page);
  const visible = (window: number, is: boolean) =>
    app.snapshot.until(({ windows }) => windows.get(window)?.visible === is);
  const message = page.getByRole('textbox', { name: 'Message' });
  await expect(message).toBeFocused();
  await expect(page.getByRole('button', { name: /^Model: aurora/u })).toBeVisible();
  await expectAccessible(page);
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Attach images or text files' }).click();
  await (await choosing).setFiles({ name: 'dot.png', mimeType: 'image/png', buffer: DOT });
  await expect(page.getByRole('button', { name: 'Remove dot.png' })).toBeVisible();
  // Escape would first close the tooltip under the pointer.
  await message.hover();
  await message.fill('What is a gatehouse? See https://example.org/gate first.');
  await message.press('Enter');
  const thread = page.getByRole('log');
  const picture = thread.getByRole('img', { name: 'dot.png' });
  await expect
    .poll(() => picture.evaluate(({ naturalWidth }: HTMLImageElement) => naturalWidth))
    .toBe(1);
  await expect(thread).toContainText('What is a gatehouse?');

  await expect(thread.getByRole('link', { name: 'In History' })).toBeVisible();
  // Before that, Escape stops the answer.
  await expect(thread).toHaveAttribute('aria-busy', 'false');
  await message.press('Escape');
  await visible(1, false);
  await app.menuWith('Quick chat');
  await app.pick('Quick chat');
  await visible(1, true);
  await expect(thread).toContainText('What is a gatehouse?');
  await expect(message).toBeFocused();

  await thread.getByRole('link', { name: 'In History' }).click();
  await visible(1, false);
  const large = await context.newPage();
  await app.attachPage(large);
  await expect(large.getByRole('heading', { level: 1, name: 'History' })).toBeVisible();
  await app.pressKeys(KEYS);
  await visible(1, true);
  await app.focusWindow(2);
  await app.pressKeys(KEYS);
  await app.snapshot.until(({ windows }) => windows.get(1)?.focused);
  await page.getByRole('link', { name: 'Open in the main window' }).click();
  await visible(1, false);
  await expect(large.getByRole('log')).toContainText('What is a gatehouse?');

  const engine = await app.utility('Gatehouse engine');
  process.kill(engine.pid, 'SIGKILL');
  for (const each of [page, large]) {
    await expect(each.getByText('This page may be out of date.')).toBeVisible();
  }
  await app.utility('Gatehouse engine', engine);
  for (const each of [page, large]) {
    await expect(each.getByText('This page may be out of date.')).toHaveCount(0);
  }
  await thread.getByRole('link', { name: 'https://example.org/gate' }).click();
  const asked = await app.dialog();
  expect(asked).toMatchObject({ window: 1, options: { detail: 'https://example.org/gate' } });
  asked.answer({ button: 2 });
  await comeBack(page, 'on');
  await expect(thread).toContainText('What is a gatehouse?');
  await comeBack(page, 'new');
  await expect(thread).toHaveCount(0);
  await message.fill('And what is a rail?');
  await message.press('Enter');
  await expect(thread).toContainText('And what is a rail?');
  await message.press('Control+n');
  await expect(thread).toHaveCount(0);
  await expect(large.getByRole('log')).toContainText('What is a gatehouse?');
});
