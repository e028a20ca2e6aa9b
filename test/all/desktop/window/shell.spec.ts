import { randomBytes } from 'node:crypto';
import { uptime } from 'node:os';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { openRepositories } from '../../../../gateway/gateway.ts';
import { orderBody, sendOrder, uploadPicture } from '../../../kit/videos/video-order.ts';
import { DesktopApp } from '../../../kit/desktop/kit.ts';

/** A data folder with a client in it. */
interface Folder {
  readonly dataDir: string;
  readonly localKey: string;
}

const NO_KEYCHAIN = { state: 'unavailable', reason: 'There is none here.' } as const;
const none = () => Promise.resolve(NO_KEYCHAIN);

async function makeFolder(): Promise<Folder> {
  const dataDir = test.info().outputPath('data');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const host = {
    dataDir,
    secrets: { read: none, write: none, remove: none },
    log: () => undefined,
    now: () => Date.now(),
    uptime: () => uptime() * 1000,
    randomBytes: (size: number) => randomBytes(size),
  };
  const repositories = await openRepositories({ host });
  const { key: localKey } = await repositories.clients.add('Test');
  await repositories.close();
  return { dataDir, localKey };
}

/** The base URL of the running app, from its tray. */
async function baseUrl(app: DesktopApp): Promise<string> {
  const menu = await app.menuWith(/^http:/u);
  return menu.find(({ label }) => label.startsWith('http:'))?.label ?? '';
}

/** Sends one chat request as a client, with a scenario of the sandbox. */
async function chat(url: string, { localKey }: Folder, scenario: string): Promise<Response> {
  return await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${localKey}`,
      'content-type': 'application/json',
      'x-sandbox-scenario': scenario,
    },
    body: JSON.stringify({
      model: 'aurora/aurora-small',
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  });
}

async function crash(attached: Page): Promise<void> {
  const cdp = await attached.context().newCDPSession(attached);
  // A page that has crashed answers nothing.
  cdp.send('Page.crash').catch(() => null);
}

test('an app that the system starts shows only its tray, which copies, pauses and opens failures', async ({
  page,
}) => {
  const folder = await makeFolder();
  await using app = await DesktopApp.start({ dataDir: folder.dataDir, args: ['--hidden'] });
  const url = await baseUrl(app);
  expect(app.snapshot.tray?.toolTip).toMatch(/^Gatehouse: Running with /u);
  expect(existsSync(app.snapshot.tray?.image ?? ''), 'its icon is there').toBe(true);
  expect(app.snapshot.windows.size, 'no window').toBe(0);

  await app.pick('Copy base URL with /v1 (Chat, Responses)');
  expect(await app.called('clipboard.writeText')).toMatchObject({ args: [`${url}/v1`] });

  await app.pick('Pause');
  await app.menuWith('Paused');
  expect(app.snapshot.tray?.image).toContain('paused');
  expect((await chat(url, folder, 'burst=2')).status).toBe(503);
  await app.pick('Resume');
  await app.menuWith(/^Running with/u);

  expect((await chat(url, folder, 'bad-key-echo')).status).toBe(401);
  await app.menuWith('Key refused');
  expect(app.snapshot.tray?.image).toContain('alert');
  const notice = await app.notification();
  expect(notice).toMatchObject({ title: 'Service key refused' });
  await app.menuWith(/^Today: /u);
  const failed = (await app.menuWith(/^Last error: /u)).find(({ label }) =>
    label.startsWith('Last'),
  );
  await app.pick(failed?.label ?? '');
  const shown = await app.snapshot.until(({ windows }) => windows.get(1)?.url || null);
  expect(shown).toMatch(/^app:\/\/ui\/history\?exchange=%22.+%22$/u);
  await app.attachPage(page);
  await expect(page.getByRole('heading', { name: 'History' })).toBeVisible();
  await app.onNotification(notice, 'click');
  await expect(page).toHaveURL(/\/settings$/u);
});

test('a video that needs a person causes a notification that opens it', async () => {
  const folder = await makeFolder();
  await using app = await DesktopApp.start({ dataDir: folder.dataDir, args: ['--hidden'] });
  const url = await baseUrl(app);
  const proxy = { port: Number(new URL(url).port), localKey: folder.localKey };
  const order = orderBody(await uploadPicture(proxy), 'A red fox [scenario lost-answer]');
  void sendOrder(proxy, order);
  const notice = await app.notification();
  expect(notice).toMatchObject({ title: 'A video needs your decision', body: order.prompt });
  await app.menuWith('1 video waiting for you');
  await app.onNotification(notice, 'click');
  const shown = await app.snapshot.until(({ windows }) => windows.get(1)?.url || null);
  expect(shown).toMatch(/^app:\/\/ui\/videos\?video=%22.+%22$/u);
});

test('the app quits when running exchanges have finished, at once when asked again, and keeps the machine awake until then', async () => {
  const folder = await makeFolder();
  await using app = await DesktopApp.start({ dataDir: folder.dataDir, args: ['--hidden'] });
  const url = await baseUrl(app);
  const cut = expect(chat(url, folder, 'slow-first-byte=300000')).rejects.toThrow('fetch failed');
  expect(await app.called('powerSaveBlocker.start')).toMatchObject({
    args: ['prevent-app-suspension'],
  });
  await app.menuWith('Quit when 1 request has ended');
  await app.pick('Quit when 1 request has ended');
  await app.menuWith('Quitting when 1 request has ended');
  await app.pick('Quit at once');
  expect(await app.end()).toBe(0);
  await cut;
});

test('the system waits for the app at the end of the session, and nothing is left running', async () => {
  const folder = await makeFolder();
  await using app = await DesktopApp.start({ dataDir: folder.dataDir, args: ['--hidden'] });
  const url = await baseUrl(app);
  const answer = chat(url, folder, 'slow-first-byte=1200');
  await app.called('powerSaveBlocker.start');
  expect(await app.power('shutdown')).toBe(true);
  expect(await app.power('shutdown'), 'whoever tells it again hurries nobody').toBe(true);
  expect((await answer).status, 'what ends soon is waited for').toBe(200);
  expect(await app.end()).toBe(0);
});

test('the page has few permissions and cannot navigate away, and other senders are ignored', async ({
  page,
}) => {
  await using app = await DesktopApp.start();
  await app.attachPage(page);
  await expect(page).toHaveURL(/\/welcome$/u);
  for (const channel of ['gatehouse:engine', 'gatehouse:desktop']) {
    await app.forge({ channel, url: 'https://elsewhere.example/', isMainFrame: true });
    await app.forge({ channel, url: 'app://ui/', isMainFrame: false });
    await app.forge({ channel, url: 'app://ui.elsewhere/', isMainFrame: true });
  }
  const log = await readFile(join(app.dataDir, 'logs', 'engine.log'), 'utf8');
  expect(log.match(/not from our page was refused/gu)).toHaveLength(6);

  const may = async (permission: string, url: string) => {
    const { asked, checked } = await app.permitted(permission, url);
    return [asked, checked];
  };
  expect(await may('clipboard-sanitized-write', page.url())).toEqual([true, true]);
  expect(await may('fullscreen', page.url())).toEqual([true, true]);
  expect(await may('clipboard-sanitized-write', 'https://elsewhere.example/')).toEqual([
    false,
    false,
  ]);
  for (const permission of [
    'clipboard-read',
    'media',
    'notifications',
    'local-network',
    'openExternal',
  ]) {
    expect(await may(permission, page.url()), permission).toEqual([false, false]);
  }

  const before = page.url();
  await page.evaluate(() => {
    location.assign('https://elsewhere.example/');
    location.assign(`${location.origin}/media/elsewhere`);
    return open('https://elsewhere.example/');
  });
  await page.evaluate(() => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(['saved']));
    link.download = 'history.csv';
    link.click();
  });
  const dialog = await app.dialog();
  expect(dialog.options).toMatchObject({ title: 'Save as' });
  expect(Reflect.get(dialog.options, 'defaultPath')).toMatch(/Downloads\/history\.csv$/u);
  dialog.answer({ paths: [] });
  expect(page.url()).toBe(before);
  expect(app.snapshot.windows.size).toBe(1);
});

test('closing the window hides it, which is explained once; a second start shows it again, where it was', async ({
  page,
}) => {
  const { dataDir } = await makeFolder();
  const memory = join(dataDir, 'desktop', 'window.json');
  {
    await using app = await DesktopApp.start({ dataDir });
    await app.attachPage(page);
    const { args } = await app.called('BrowserWindow');
    expect(args[0]).toMatchObject({
      show: false,
      width: 1280,
      webPreferences: {
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        webSecurity: true,
      },
    });
    await app.snapshot.until(({ windows }) => windows.get(1)?.visible);
    await app.closeWindow();
    const dialog = await app.dialog();
    expect(dialog.options).toMatchObject({ buttons: ['Keep it running', 'Quit'] });
    dialog.answer({ button: 0 });
    await app.snapshot.until(({ windows }) => windows.get(1)?.visible === false);
    await using again = await DesktopApp.start({ dataDir });
    expect(await again.end(), 'the second is gone at once').toBe(0);
    await app.snapshot.until(({ windows }) => windows.get(1)?.visible);
    await app.closeWindow();
    await app.snapshot.until(({ windows }) => windows.get(1)?.visible === false);
    expect(app.snapshot.dialogs).toEqual([]);
    app.quit();
    expect(await app.end()).toBe(0);
  }
  const kept: unknown = JSON.parse(await readFile(memory, 'utf8'));
  const place = { x: 40, y: 60, width: 900, height: 700 };
  await writeFile(memory, JSON.stringify({ ...Object(kept), place }));
  await using app = await DesktopApp.start({ dataDir });
  expect((await app.called('BrowserWindow')).args[0]).toMatchObject(place);
});

test('a crashed page is reloaded where it was visible, but not while the app ends', async ({
  page,
  context,
}) => {
  const folder = await makeFolder();
  await using app = await DesktopApp.start({ dataDir: folder.dataDir });
  await app.attachPage(page);
  await app.snapshot.until(({ windows }) => windows.get(1)?.visible);
  await crash(page);
  await app.snapshot.until(({ windows }) => !windows.has(1) && windows.has(2));
  const another = await context.newPage();
  await app.attachPage(another);
  await app.snapshot.until(({ windows }) => windows.get(2)?.visible);
  const cut = expect(chat(await baseUrl(app), folder, 'slow-first-byte=300000')).rejects.toThrow(
    'fetch failed',
  );
  await app.menuWith('Quit when 1 request has ended');
  app.quit();
  await app.menuWith('Quit at once');
  await crash(another);
  await app.snapshot.until(({ windows }) => !windows.has(2));
  await app.pick('Quit at once');
  expect(await app.end()).toBe(0);
  await cut;
  const made = app.snapshot.newCalls.filter(({ name }) => name === 'BrowserWindow');
  expect(made).toHaveLength(2);
});

test('the tray sets the start at login, does not change while it is open, follows the theme and opens the window', async () => {
  const { dataDir } = await makeFolder();
  const config = test.info().outputPath('config');
  const entry = join(config, 'autostart', 'gatehouse.desktop');
  await using app = await DesktopApp.start({
    dataDir,
    args: ['--hidden'],
    environment: {
      ELECTRON_MOCK_PACKAGED: '1',
      XDG_CONFIG_HOME: config,
      APPIMAGE: '/opt/50% "new"/Gatehouse.AppImage',
    },
  });
  const isOn = (on: boolean) =>
    app.snapshot.until(({ tray }) =>
      tray?.menu.some(({ label, checked }) => label === 'Start at login' && checked === on),
    );
  await isOn(false);
  // All that Linux tells of a menu: a tray that waited for its closing would show this for ever.
  await app.trayMenu('menu-will-show');
  await app.pick('Start at login');
  await isOn(true);
  expect(existsSync(entry)).toBe(true);
  expect(await readFile(entry, 'utf8')).toContain(
    String.raw`Exec="/opt/50%% \\"new\\"/Gatehouse.AppImage" --hidden`,
  );
  await app.pick('Start at login');
  await isOn(false);
  expect(existsSync(entry)).toBe(false);

  await app.themeIs('dark');
  await app.snapshot.until(({ tray }) => tray?.image.endsWith('-dark.png'));
  await app.clickTray();
  await app.snapshot.until(({ windows }) => windows.get(1));
});
