import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeElectronFiles } from './electron-files.ts';
import { has, pack, useFpmStandIn } from './pack.ts';
import {
  APPARMOR_LOG,
  canMakeRoot,
  openScratchRoot,
  type ScratchRoot,
  writeProgram,
} from './scratch-root.ts';

const OLD = '0.0.9';
const described: { version: string; homepage: string; desktopName: string } = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', '..', '..', 'package.json'), 'utf8'),
);
const BUILDS = has('dpkg-deb', 'rpmbuild');
const INSTALLS = BUILDS && has('dpkg', 'rpm') && canMakeRoot();
const VALIDATES = has('desktop-file-validate', 'appstreamcli');
if (!BUILDS) console.warn('NOT RUN: deb and rpm. Install dpkg and rpm to run these tests.');
else if (!INSTALLS) {
  console.warn('NOT RUN: installing deb and rpm. It needs mount namespaces of the own user.');
}
if (!VALIDATES) {
  console.warn('NOT RUN: the desktop entry. Install desktop-file-utils and appstream.');
}

let folder = '';
const packages = new Map<string, string>();
const fileOf = (kind: 'deb' | 'rpm', version = described.version): string =>
  packages.get(`${version} ${kind}`) ?? '';

// Two versions of both packages, by electron-builder with a stand-in for fpm, over stand-ins for Electron's files.
beforeAll(async () => {
  if (!BUILDS) return;
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-installed-'));
  const electron = join(folder, 'electron');
  await writeElectronFiles(electron);
  const environment = await useFpmStandIn(join(folder, 'bin'));
  for (const version of [OLD, described.version]) {
    const output = join(folder, version);
    const args = ['--linux', 'deb', 'rpm', '--x64', `-c.extraMetadata.version=${version}`];
    await pack({ by: 'script', electron, output, args, environment });
    for (const name of await readdir(output)) {
      packages.set(`${version} ${name.split('.').at(-1)}`, join(output, name));
    }
  }
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

function say(program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return stdout;
}

/** Asks an rpm; the database of this machine is left alone. */
function query(args: readonly string[]): string {
  return say('rpm', ['--dbpath', join(folder, 'rpmdb'), '-qp', ...args]);
}

/** Runs a program of the scratch root that has to succeed. */
function runIn(root: ScratchRoot, program: string, ...args: readonly string[]): string {
  const { code, stdout, stderr } = root.run(program, args, {
    GATEHOUSE_TEST_EXTRACTED: join(folder, 'extracted'),
    GATEHOUSE_DATA_DIR: '/data',
  });
  expect(code, stderr).toBe(0);
  return stdout;
}

const DESKTOP = 'usr/share/applications/dev.gatehouse.app.desktop';
const METAINFO = 'usr/share/metainfo/dev.gatehouse.app.metainfo.xml';
const PROFILE = 'etc/apparmor.d/gatehouse-desktop';
const HELPER = 'opt/Gatehouse/chrome-sandbox';
const OURS = [
  PROFILE,
  HELPER,
  'opt/Gatehouse/gatehouse-desktop',
  'opt/Gatehouse/resources/app.asar',
  DESKTOP,
  METAINFO,
  'usr/bin/gatehouse',
  'usr/share/icons/hicolor/512x512/apps/gatehouse-desktop.png',
];

/** Checks that all that is installed is there, works, and is known to the system. */
function expectInstalled(root: ScratchRoot, before: readonly string[]): void {
  const added = root.list().filter((name) => !before.includes(name));
  expect(added).toEqual(expect.arrayContaining(OURS));
  const elsewhere = /^(?:opt\/Gatehouse|usr\/share\/(?:icons|doc\/gatehouse))/u;
  const rest = ['bin/gatehouse', PROFILE, 'usr/bin/gatehouse', DESKTOP, METAINFO];
  expect(added.filter((name) => !elsewhere.test(name))).toEqual(rest);
  expect(statSync(join(root.path, HELPER)).mode & 0o7777).toBe(0o755);
  expect(readFileSync(join(root.path, PROFILE), 'utf8')).toContain(
    'profile "gatehouse-desktop" "/opt/Gatehouse/gatehouse-desktop" flags=(unconfined)',
  );
  expect(runIn(root, 'cat', APPARMOR_LOG)).toContain(
    `--replace --write-cache --skip-read-cache /${PROFILE}`,
  );
  expect(runIn(root, 'gatehouse', '--version')).toBe(`${described.version}\n`);
  expect(runIn(root, 'gatehouse', 'doctor')).toContain('ok ');
}

describe.skipIf(!BUILDS)('a package', () => {
  test('of Debian has a description and its dependencies', () => {
    const fields = say('dpkg-deb', ['--field', fileOf('deb')]);
    expect(fields).toContain('Package: gatehouse\n');
    expect(fields).toContain(`Version: ${described.version}\n`);
    expect(fields).toContain(`Homepage: ${described.homepage}\n`);
    expect(fields).toMatch(/^Maintainer: .+ <[^@\s]+@[^@\s]+>$/mu);
    expect(fields).toContain('Recommends: gnome-keyring | kwalletmanager\n');
    expect(fields).toMatch(/^Depends: libgtk-3-0, /mu);
  });

  test('of Fedora has a description, and owns no link in /usr/lib/.build-id', () => {
    const file = fileOf('rpm');
    const info = query(['--queryformat', '%{NAME} %{VERSION} %{URL}', file]);
    expect(info).toBe(`gatehouse ${described.version} ${described.homepage}`);
    expect(query(['--requires', file])).toContain('gtk3\n');
    const files = query(['-l', file]).split('\n');
    const outside = files.filter((name) => !/^\/opt\/Gatehouse|^\/usr\/share\/icons/u.test(name));
    expect(outside).toEqual([`/usr/bin/gatehouse`, `/${DESKTOP}`, `/${METAINFO}`, '']);
    expect(files).toContain('/opt/Gatehouse/resources');
  });

  test.skipIf(!VALIDATES)('has a desktop entry and a description that systems understand', () => {
    const out = join(folder, 'contents');
    mkdirSync(out);
    say('dpkg-deb', ['--extract', fileOf('deb'), out]);
    const entry = join(out, DESKTOP);
    expect(say('desktop-file-validate', ['--no-hints', entry])).toBe('');
    const text = readFileSync(entry, 'utf8');
    expect(text).toContain('Exec=/opt/Gatehouse/gatehouse-desktop %U\n');
    expect(text).toContain('StartupWMClass=dev.gatehouse.app\n');
    expect(text).toContain('Icon=gatehouse-desktop\n');
    const metainfo = join(out, METAINFO);
    expect(say('appstreamcli', ['validate', '--no-net', '--pedantic', metainfo])).toContain(
      'success',
    );
    const reported = readFileSync(metainfo, 'utf8');
    expect(reported).toContain(`<release version="${described.version}" date="`);
    expect(reported).toContain(
      '<launchable type="desktop-id">dev.gatehouse.app.desktop</launchable>',
    );
    expect(described.desktopName).toBe('dev.gatehouse.app.desktop');
  });
});

describe.skipIf(!INSTALLS)('in a system of its own', () => {
  test('the deb is installed, upgraded and removed without a trace but the data', () => {
    using root = openScratchRoot();
    const before = root.list();
    const install = (file: string): string => runIn(root, 'dpkg', '--force-depends', '-i', file);
    install(fileOf('deb', OLD));
    install(fileOf('deb'));
    expectInstalled(root, before);
    expect(runIn(root, 'dpkg', '--verify', 'gatehouse')).toBe('');
    runIn(root, 'dpkg', '--purge', 'gatehouse');
    expectRemoved(root, before);
  });

  test('the rpm is installed, upgraded and removed without a trace but the data', () => {
    using root = openScratchRoot();
    const before = root.list();
    const rpm = (...args: readonly string[]): string =>
      runIn(root, 'rpm', '--dbpath', '/var/lib/rpm', ...args);
    rpm('-i', '--nodeps', fileOf('rpm', OLD));
    rpm('-U', '--nodeps', fileOf('rpm'));
    expectInstalled(root, before);
    expect(rpm('-V', '--nodeps', 'gatehouse')).toBe('');
    rpm('-e', 'gatehouse');
    expectRemoved(root, before);
  });

  test('a system without user namespaces gets the setuid helper', () => {
    using root = openScratchRoot();
    writeProgram(root.path, 'unshare', 'exit 1');
    runIn(root, 'dpkg', '--force-depends', '-i', fileOf('deb'));
    expect(statSync(join(root.path, HELPER)).mode & 0o7777).toBe(0o4755);
  });
});

function expectRemoved(root: ScratchRoot, before: readonly string[]): void {
  const left = root.list().filter((name) => !before.includes(name));
  expect(left.filter((name) => !name.startsWith('data'))).toEqual([]);
  expect(left).toContain('data/gatehouse.db');
  expect(runIn(root, 'cat', APPARMOR_LOG)).toContain(`--remove /${PROFILE}\n`);
  expect(existsSync(join(root.path, 'opt', 'Gatehouse'))).toBe(false);
}
