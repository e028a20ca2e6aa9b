import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { extractAll, listPackage } from '@electron/asar';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describePackages } from '../../../../build/packages.ts';
import { writeElectronFiles } from './electron-files.ts';
import { pack } from './pack.ts';

const run = promisify(execFile);

let folder = '';
const inPackage = (...path: readonly string[]) => join(folder, 'script', 'linux-unpacked', ...path);

// Packs the built app with a stand-in for Electron that only has what the packager touches.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-package-'));
  const electron = join(folder, 'electron');
  await writeElectronFiles(electron);
  const args = ['--linux', 'dir', '--x64'];
  await pack({ by: 'script', electron, output: join(folder, 'script'), args });
  await pack({ by: 'builder', electron, output: join(folder, 'builder'), args });
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

/** Every file of a folder with a sum of its content. */
async function contents(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const lines = await Promise.all(
    files.map(async (file) => {
      const sum = createHash('sha256').update(await readFile(file));
      return `${file.slice(root.length)} ${sum.digest('hex')}`;
    }),
  );
  return lines.toSorted();
}

describe('the description of the packages', () => {
  const RELEASE = {
    GATEHOUSE_RELEASE: '1',
    GITHUB_REPOSITORY: 'someone/gatehouse',
    AZURE_SIGNING_ENDPOINT: 'https://sign.example',
    AZURE_SIGNING_PUBLISHER: 'Someone',
    AZURE_SIGNING_ACCOUNT: 'account',
    AZURE_SIGNING_PROFILE: 'profile',
  };

  test.for([{}, RELEASE])('is valid for every system: %o', async (environment) => {
    const load = createRequire(createRequire(import.meta.url).resolve('electron-builder'));
    const { validateConfiguration } = load('app-builder-lib/out/util/config/config.js');
    const { DebugLogger } = load('builder-util');
    const valid = await describePackages(environment);
    await expect(validateConfiguration(valid, new DebugLogger(false))).resolves.toBeUndefined();
    const wrong = { ...valid, nsis: { oneclick: true } };
    await expect(validateConfiguration(wrong, new DebugLogger(false))).rejects.toThrow(
      'configuration.nsis',
    );
  });

  test('without a release a macOS app gets an ad-hoc signature, and nothing is published', async () => {
    const { mac, win, publish } = await describePackages({});
    expect(mac).toMatchObject({ identity: '-', hardenedRuntime: true });
    expect(mac?.forceCodeSigning).toBeUndefined();
    expect(win?.azureSignOptions).toBeUndefined();
    expect(publish).toBeNull();
  });

  test('a release contains nothing unsigned, and its links are those of the repository', async () => {
    const { mac, win, publish, extraMetadata } = await describePackages(RELEASE);
    expect(mac).toMatchObject({ forceCodeSigning: true, notarize: true });
    expect(mac).not.toHaveProperty('identity');
    expect(win).toMatchObject({
      forceCodeSigning: true,
      azureSignOptions: { endpoint: 'https://sign.example', publisherName: 'Someone' },
    });
    expect(publish).toMatchObject({ provider: 'github', owner: 'someone', repo: 'gatehouse' });
    expect(extraMetadata).toEqual({ homepage: 'https://github.com/someone/gatehouse' });
  });
});

test('electron-builder builds the same package when it is called directly', async () => {
  const made = await contents(inPackage());
  const byHand = await contents(join(folder, 'builder', 'linux-unpacked'));
  expect(made.length).toBeGreaterThan(8);
  expect(byHand).toEqual(made);
});

test('a package contains the built files and the keyring, and nothing else', () => {
  const listed = listPackage(inPackage('resources', 'app.asar'), { isPack: false });
  const tops = new Set(listed.map((path) => path.split('/').slice(1, 3).join('/')));
  expect([...tops].toSorted()).toEqual([
    'LICENSE',
    'node_modules',
    'node_modules/@napi-rs',
    'out',
    'out/desktop',
    'out/ui',
    'package.json',
  ]);
  const odd = /\.(?:ts|map|env|spec)$|\.test\.|\/\.|tsconfig/u;
  expect(listed.filter((path) => odd.test(path))).toEqual([]);
  const ours = [
    'main.js',
    'engine.js',
    'worker.js',
    'file-worker.js',
    'reconcile-worker.js',
    'preload.cjs',
    'THIRD-PARTY-NOTICES.txt',
    'media/clip.mp4',
    'icons/tray-normal-dark.png',
  ];
  expect(listed).toEqual(expect.arrayContaining(ours.map((name) => `/out/desktop/${name}`)));
  expect(listed).toContain('/out/ui/index.html');
});

test('the program has the intended Electron fuses', async () => {
  const wire = await getCurrentFuseWire(inPackage('gatehouse-desktop'));
  const fuses = Object.entries({
    [FuseV1Options.RunAsNode]: false,
    [FuseV1Options.EnableCookieEncryption]: false,
    [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
    [FuseV1Options.EnableNodeCliInspectArguments]: false,
    [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
    [FuseV1Options.OnlyLoadAppFromAsar]: true,
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
    [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
  });
  // In the program a fuse is the digit 1 or 0.
  const states = new Map(Object.entries(wire).map(([fuse, state]) => [fuse, Number(state)]));
  expect(fuses.map(([fuse]) => [fuse, states.get(fuse) === 0x31])).toEqual(fuses);
  expect(fuses.map(([fuse]) => [fuse, states.get(fuse) === 0x30])).toEqual(
    fuses.map(([fuse, on]) => [fuse, !on]),
  );
});

test('the keyring is beside the archive, and the packed engine loads it', async () => {
  const archive = inPackage('resources', 'app.asar');
  const { stdout } = await run('find', [`${archive}.unpacked`, '-name', '*.node']);
  expect(stdout).toMatch(/@napi-rs\/keyring-.*\.node/u);
  const out = join(folder, 'extracted');
  extractAll(archive, out);
  const described: unknown = JSON.parse(await readFile(join(out, 'package.json'), 'utf8'));
  // By these Electron names the app, and desktops find its entry.
  expect(described).toMatchObject({
    main: 'out/desktop/main.js',
    productName: 'Gatehouse',
    desktopName: 'dev.gatehouse.app.desktop',
  });
  const loads = "process.parentPort={on:()=>console.log('listens')};await import(process.argv[1])";
  const engine = join(out, 'out', 'desktop', 'engine.js');
  const { stdout: output } = await run(process.execPath, [
    '--input-type=module',
    '-e',
    loads,
    engine,
  ]);
  expect(output).toBe('listens\n');
});
