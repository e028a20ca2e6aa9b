import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findShortcutObstacle } from './desktop-portal.ts';

const ID = 'dev.gatehouse.app';
const KDE = `[portal]
DBusName=org.freedesktop.impl.portal.desktop.kde
Interfaces=org.freedesktop.impl.portal.FileChooser;org.freedesktop.impl.portal.GlobalShortcuts;
UseIn=KDE
`;
const GTK = KDE.replace('org.freedesktop.impl.portal.GlobalShortcuts;', '');

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gatehouse-portal-'));
});
afterEach(async () => await rm(root, { recursive: true }));

async function put(path: string, text = ''): Promise<void> {
  const file = join(root, path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, text);
}

function obstacle(more: NodeJS.ProcessEnv = {}): ReturnType<typeof findShortcutObstacle> {
  const folders = `relative:${join(root, 'local')}:${join(root, 'usr')}`;
  const own = join(root, 'own');
  return findShortcutObstacle({ XDG_DATA_HOME: own, XDG_DATA_DIRS: folders, ...more }, ID);
}

test('a desktop without any portal, or with portals that offer none, offers no shortcuts', async () => {
  expect(obstacle()).toBe('no-portal');
  await put('usr/xdg-desktop-portal/portals/gtk.portal', GTK);
  await put('usr/xdg-desktop-portal/portals/kde.portal.bak', KDE);
  await mkdir(join(root, 'usr/xdg-desktop-portal/portals/folder.portal'));
  expect(obstacle()).toBe('no-portal');
});

test.each(['usr', 'local', 'own'])(
  'a program with its entry in %s is installed',
  async (folder) => {
    await put('usr/xdg-desktop-portal/portals/gtk.portal', GTK);
    await put('local/xdg-desktop-portal/portals/kde.portal', KDE);
    await put('usr/applications/gatehouse.desktop');
    await put('usr/applications/appimagekit_1-dev.gatehouse.app.desktop');
    expect(obstacle()).toBe('not-installed');
    await put(join(folder, 'applications', `${ID}.desktop`));
    expect(obstacle()).toBeNull();
  },
);

test('a relative folder of the person is ignored', async () => {
  await put('usr/xdg-desktop-portal/portals/kde.portal', KDE);
  await put(`own/applications/${ID}.desktop`);
  expect(obstacle({ XDG_DATA_HOME: 'own' })).toBe('not-installed');
});
