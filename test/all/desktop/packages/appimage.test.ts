import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeAppImageTools } from './appimage-tools.ts';
import { writeElectronFiles } from './electron-files.ts';
import { has, pack } from './pack.ts';

const BUILDS = has('mksquashfs', 'unsquashfs', 'desktop-file-validate');
if (!BUILDS) {
  console.warn('NOT RUN: the AppImage. Install squashfs-tools and desktop-file-utils to run it.');
}
const LAUNCHER = join(import.meta.dirname, '..', '..', '..', '..', 'launcher', 'gatehouse');

let folder = '';
let appImage = '';

// By electron-builder with the tools of this system, and a stand-in for the runtime that mounts an AppImage.
beforeAll(async () => {
  if (!BUILDS) return;
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-appimage-'));
  const electron = join(folder, 'electron');
  await writeElectronFiles(electron);
  const tools = join(folder, 'tools');
  await writeAppImageTools(tools);
  await mkdir(join(folder, 'mounts'));
  const output = join(folder, 'made');
  const args = ['--linux', 'AppImage', '--x64'];
  await pack({ by: 'script', electron, output, args, environment: { APPIMAGE_TOOLS_PATH: tools } });
  const name = (await readdir(output)).find((file) => file.endsWith('.AppImage'));
  appImage = join(output, name ?? '');
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

function run(program: string, args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      TMPDIR: join(folder, 'mounts'),
      GATEHOUSE_DATA_DIR: join(folder, 'data'),
      GATEHOUSE_TEST_EXTRACTED: join(folder, 'extracted'),
      ...more,
    },
  });
  return { code: status, stdout, stderr };
}

describe.skipIf(!BUILDS)('an AppImage', () => {
  test('runs the command behind its switch', () => {
    const { code, stdout } = run(appImage, ['--no-sandbox', '--command-line', '--', 'doctor']);
    expect(code).toBe(0);
    expect(stdout).toContain('ok ');
  });

  test('runs the command by the launcher, with its arguments as they were typed', () => {
    const names = [' two  words ', '--no-sandbox', '', '"$HOME"'];
    for (const name of names) {
      const args = ['clients', 'add', '--', name];
      const { code, stderr } = run(LAUNCHER, args, { GATEHOUSE_APP: appImage });
      expect([name, code], stderr).toEqual([name, name === '' ? 1 : 0]);
    }
    const { stdout } = run(LAUNCHER, ['clients', 'list', '--json'], { GATEHOUSE_APP: appImage });
    const { clients }: { clients: { name: string }[] } = JSON.parse(stdout);
    expect(clients.map(({ name }) => name).toSorted()).toEqual(
      ['"$HOME"', '--no-sandbox', 'two  words'].toSorted(),
    );
  });

  test('opens the app without the switch', () => {
    expect(run(appImage, []).stderr).toContain('A box is shown.');
  });

  test('has a desktop entry that systems understand', () => {
    const out = join(folder, 'entry');
    const entry = 'dev.gatehouse.app.desktop';
    expect(spawnSync('unsquashfs', ['-o', '4096', '-d', out, appImage, entry]).status).toBe(0);
    const validated = spawnSync('desktop-file-validate', ['--no-hints', join(out, entry)]);
    expect([validated.status, String(validated.stdout)]).toEqual([0, '']);
  });
});
