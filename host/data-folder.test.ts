import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultDataDir, prepareDataDir } from './data-folder.ts';
import { UserError } from '../gateway/errors.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gatehouse-folder-'));
});
afterEach(async () => await rm(root, { recursive: true }));

const rights = async (folder: string) => (await stat(folder)).mode & 0o777;

test.skipIf(process.platform === 'win32')('each system has its usual place', () => {
  expect(defaultDataDir({}, 'linux', '/home/me')).toBe('/home/me/.local/share/gatehouse');
  expect(defaultDataDir({ XDG_DATA_HOME: '/data' }, 'linux', '/home/me')).toBe('/data/gatehouse');
  expect(defaultDataDir({ XDG_DATA_HOME: 'data' }, 'linux', '/home/me')).toBe(
    '/home/me/.local/share/gatehouse',
  );
  expect(defaultDataDir({}, 'darwin', '/Users/me')).toBe(
    '/Users/me/Library/Application Support/Gatehouse',
  );
  expect(defaultDataDir({ APPDATA: '/Roaming' }, 'win32', '/me')).toBe('/Roaming/Gatehouse');
});

test('the flag goes before the environment', async () => {
  const environment = { GATEHOUSE_DATA_DIR: join(root, 'environment') };
  expect(await prepareDataDir(join(root, 'flag'), environment)).toBe(join(root, 'flag'));
  expect(await prepareDataDir(undefined, environment)).toBe(join(root, 'environment'));
});

test.skipIf(process.platform === 'win32')(
  'a new or empty folder is closed to others, one with other things in it is left as it is',
  async () => {
    expect(await rights(await prepareDataDir(join(root, 'a', 'b'), {}))).toBe(0o700);
    const empty = join(root, 'empty');
    await mkdir(empty);
    await chmod(empty, 0o755);
    expect(await rights(await prepareDataDir(empty, {}))).toBe(0o700);
    const used = join(root, 'used');
    await mkdir(used);
    await chmod(used, 0o755);
    await writeFile(join(used, 'letter.txt'), '');
    expect(await rights(await prepareDataDir(used, {}))).toBe(0o755);
  },
);

test.skipIf(process.platform !== 'linux')(
  'a place where nobody can make a folder is refused in a sentence',
  async () => {
    await expect(prepareDataDir('/proc/gatehouse', {})).rejects.toThrow(
      'The data folder /proc/gatehouse cannot be used: no folder can be made there.',
    );
  },
);

test('what is not a folder is refused in words', async () => {
  const file = join(root, 'file');
  await writeFile(file, '');
  await expect(prepareDataDir(file, {})).rejects.toThrow(UserError);
  await expect(prepareDataDir(join(file, 'below'), {})).rejects.toThrow(
    /cannot be used: there is a file in its way\.$/u,
  );
});
