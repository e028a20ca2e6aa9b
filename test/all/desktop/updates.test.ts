import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatAutostartEntry } from '../../../host/autostart-entry.ts';
import { DesktopApp } from '../../kit/desktop/kit.ts';

const NEWER = Buffer.from('#!/bin/sh\nexit 0\n');
const SUM = createHash('sha512').update(NEWER).digest('base64');

let folder = '';
/** The sum that the feed tells. */
let reported = SUM;
const asked: string[] = [];
const feed = createServer(({ url = '' }, response) => {
  asked.push(url);
  if (url.startsWith('/latest-linux')) {
    const file = `{ url: Gatehouse.AppImage, sha512: '${reported}', size: ${NEWER.length} }`;
    return void response.end(
      `version: 99.0.0\nfiles: [${file}]\npath: Gatehouse.AppImage\nsha512: '${reported}'\nreleaseDate: '2026-01-01T00:00:00.000Z'\n`,
    );
  }
  if (url.startsWith('/Gatehouse.AppImage')) return void response.end(NEWER);
  response.writeHead(404).end();
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-updates-'));
  feed.listen(0, '127.0.0.1');
  await once(feed, 'listening');
  const url = `http://127.0.0.1:${Object(feed.address()).port}`;
  await writeFile(
    join(folder, 'app-update.yml'),
    `provider: generic\nurl: ${url}\nupdaterCacheDirName: gatehouse-updater\n`,
  );
});
afterAll(async () => {
  feed.close();
  await rm(folder, { recursive: true });
});

async function startPacked(file = 'old.AppImage'): Promise<DesktopApp> {
  if (file === 'old.AppImage') await writeFile(join(folder, file), 'old', { mode: 0o755 });
  return await DesktopApp.start({
    args: ['--hidden'],
    environment: {
      ELECTRON_MOCK_PACKAGED: '1',
      ELECTRON_MOCK_RESOURCES: folder,
      APPIMAGE: join(folder, file),
      XDG_CONFIG_HOME: folder,
    },
  });
}

test.skipIf(process.platform !== 'linux')(
  'a newer version is looked for once a person says so, then downloaded and started',
  async () => {
    reported = SUM;
    await using app = await startPacked();
    await app.menuWith('Check for updates');
    await app.menuWith(/^http:/u);
    expect(asked).toEqual([]);
    await app.pick('Check for updates');
    await app.menuWith('Download version 99.0.0');
    expect(asked.every((url) => url.startsWith('/latest-linux'))).toBe(true);
    await app.pick('Download version 99.0.0');
    await app.menuWith('Restart to update to 99.0.0');
    await app.pick('Restart to update to 99.0.0');
    await app.called('app.releaseSingleInstanceLock');
    expect(await app.end()).toBe(0);
    await expect(access(join(folder, 'old.AppImage'))).resolves.toBeUndefined();
    expect(await readFile(join(folder, 'old.AppImage'))).toEqual(NEWER);
  },
);

test.skipIf(process.platform !== 'linux')(
  'a file that is not the one that was published is refused',
  async () => {
    reported = createHash('sha512').update('another').digest('base64');
    await using app = await startPacked();
    await app.menuWith('Check for updates');
    await app.pick('Check for updates');
    await app.menuWith('Download version 99.0.0');
    await app.pick('Download version 99.0.0');
    await app.menuWith('Check for updates again (the last check failed)');
    expect(await readFile(join(folder, 'old.AppImage'), 'utf8')).toBe('old');
  },
);

test.skipIf(process.platform !== 'linux')(
  'a version that cannot be put in place leaves the old one to start again, from its file',
  async () => {
    reported = SUM;
    const file = join(folder, 'kept.AppImage');
    await mkdir(file);
    await using app = await startPacked('kept.AppImage');
    await app.menuWith('Check for updates');
    await app.pick('Check for updates');
    await app.menuWith('Download version 99.0.0');
    await app.pick('Download version 99.0.0');
    await app.menuWith('Restart to update to 99.0.0');
    await app.pick('Restart to update to 99.0.0');
    expect((await app.called('app.relaunch')).args[0]).toMatchObject({ execPath: file });
    expect(await app.end()).toBe(1);
  },
);

test.skipIf(process.platform !== 'linux')(
  'an AppImage that an update gave another name is still started at login',
  async () => {
    const entry = join(folder, 'autostart', 'gatehouse.desktop');
    await mkdir(join(folder, 'autostart'));
    const before = formatAutostartEntry('/gone/Gatehouse-1.0.0.AppImage', '--hidden');
    await writeFile(entry, `${before}X-GNOME-Autostart-Delay=5\n`);
    await using app = await startPacked();
    await app.menuWith('Start at login');
    const now = formatAutostartEntry(join(folder, 'old.AppImage'), '--hidden');
    expect(await readFile(entry, 'utf8')).toBe(`${now}X-GNOME-Autostart-Delay=5\n`);
  },
);
