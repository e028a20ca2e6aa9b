import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createPackage, extractAll, listPackage } from '@electron/asar';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { build, Platform } from 'electron-builder';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PACKAGES } from '../../build/packages.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);
/** How a wire of fuses is found in Electron's program: a mark, a version, how many, and their states. */
const WIRE = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX\u0001\u0009101110011';

let folder = '';
const inPackage = (...path: readonly string[]) => join(folder, 'dist', 'linux-unpacked', ...path);

// Packs the built app with a stand-in for Electron that only has what the packager touches.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-package-'));
  const stub = join(folder, 'electron');
  await mkdir(join(stub, 'resources'), { recursive: true });
  await mkdir(join(stub, 'locales'));
  await writeFile(join(stub, 'locales', 'en-US.pak'), '');
  await writeFile(join(stub, 'version'), '45.4.1');
  await writeFile(join(stub, 'electron'), `\u007fELF${WIRE}`, { mode: 0o755 });
  await mkdir(join(folder, 'empty'));
  await writeFile(join(folder, 'empty', 'package.json'), '{}');
  await createPackage(join(folder, 'empty'), join(stub, 'resources', 'default_app.asar'));
  const project = join(folder, 'project');
  await mkdir(join(project, 'out'), { recursive: true });
  for (const name of ['package.json', 'LICENSE'])
    await copyFile(join(ROOT, name), join(project, name));
  for (const name of ['desktop', 'package']) {
    await cp(join(ROOT, 'out', name), join(project, 'out', name), { recursive: true });
  }
  // What must not be in it, where it could be.
  await mkdir(join(project, 'out', 'ui'));
  await writeFile(join(project, 'out', 'ui', 'index.html'), '<!doctype html>');
  await writeFile(join(project, 'out', 'ui', 'index.js.map'), '{}');
  await writeFile(join(project, '.env'), 'SECRET=1');
  await mkdir(join(project, 'electron'));
  await writeFile(join(project, 'electron', 'main.ts'), '');
  const keyring = join('node_modules', '@napi-rs');
  await cp(join(ROOT, keyring), join(project, keyring), { recursive: true });
  await build({
    projectDir: project,
    targets: Platform.LINUX.createTarget('dir'),
    config: {
      ...PACKAGES,
      electronDist: stub,
      directories: { ...PACKAGES.directories, output: join(folder, 'dist') },
    },
    publish: 'never',
  });
}, 60_000);
afterAll(async () => await rm(folder, { recursive: true, force: true }));

test('the description of the packages is valid for every system', async () => {
  const load = createRequire(createRequire(import.meta.url).resolve('electron-builder'));
  const { validateConfiguration } = load('app-builder-lib/out/util/config/config.js');
  const { DebugLogger } = load('builder-util');
  await expect(validateConfiguration(PACKAGES, new DebugLogger(false))).resolves.toBeUndefined();
  const wrong = { ...PACKAGES, nsis: { oneclick: true } };
  await expect(validateConfiguration(wrong, new DebugLogger(false))).rejects.toThrow(
    'configuration.nsis',
  );
});

test('a package holds what was built and the keyring, and nothing else', () => {
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
    'preload.cjs',
    'THIRD-PARTY-NOTICES.txt',
    'media/clip.mp4',
    'icons/tray-normal-dark.png',
  ];
  expect(listed).toEqual(expect.arrayContaining(ours.map((name) => `/out/desktop/${name}`)));
});

test('the program is sealed as it is meant to be', async () => {
  const wire = await getCurrentFuseWire(inPackage('gatehouse'));
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

test('the keyring lies beside the archive, and the packed engine loads from it', async () => {
  const archive = inPackage('resources', 'app.asar');
  const { stdout } = await run('find', [`${archive}.unpacked`, '-name', '*.node']);
  expect(stdout).toMatch(/@napi-rs\/keyring-linux-.*\.node/u);
  const out = join(folder, 'extracted');
  extractAll(archive, out);
  const { main }: { main: string } = JSON.parse(await readFile(join(out, 'package.json'), 'utf8'));
  expect(main).toBe('out/desktop/main.js');
  const loads = "process.parentPort={on:()=>console.log('listens')};await import(process.argv[1])";
  const engine = join(out, 'out', 'desktop', 'engine.js');
  const { stdout: said } = await run(process.execPath, [
    '--input-type=module',
    '-e',
    loads,
    engine,
  ]);
  expect(said).toBe('listens\n');
});
