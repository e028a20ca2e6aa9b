import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openKeyFile } from './key-file.ts';

const ACCOUNT = 'https://models.example.com';
let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-file-'));
  file = join(folder, 'service-key');
});
afterEach(async () => await rm(folder, { recursive: true }));

test('a key is kept for its service only, in a file for its owner only', async () => {
  const keys = openKeyFile(folder);
  expect(await keys.read(ACCOUNT)).toEqual({ state: 'absent' });
  expect(await keys.write(ACCOUNT, 'secret-one')).toEqual({ state: 'done' });
  expect(await keys.read(ACCOUNT)).toEqual({ state: 'found', secret: 'secret-one' });
  expect(await keys.read('https://other.example.com')).toEqual({ state: 'absent' });
  expect(await readdir(folder)).toEqual(['service-key']);
  if (process.platform !== 'win32') {
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  }
});

test('removing the last key removes the file', async () => {
  const keys = openKeyFile(folder);
  await keys.write(ACCOUNT, 'secret-one');
  await keys.write('https://other.example.com', 'secret-two');
  await keys.remove(ACCOUNT);
  expect(await readFile(file, 'utf8')).not.toContain('secret-one');
  expect(await keys.remove('https://other.example.com')).toEqual({ state: 'done' });
  expect(await readdir(folder)).toEqual([]);
  expect(await keys.remove(ACCOUNT)).toEqual({ state: 'done' });
});

test.skipIf(process.platform === 'win32')(
  'a file that others may read is not used, until the key is set again',
  async () => {
    const keys = openKeyFile(folder);
    const other = 'https://other.example.com';
    await keys.write(ACCOUNT, 'secret-one');
    await keys.write(other, 'secret-other');
    await chmod(file, 0o640);
    const read = await keys.read(ACCOUNT);
    expect(read).toMatchObject({ state: 'unavailable' });
    expect(JSON.stringify(read)).toContain('mode 640');
    expect(JSON.stringify(read)).not.toContain('secret-one');
    await keys.write(ACCOUNT, 'secret-two');
    expect(await keys.read(ACCOUNT)).toEqual({ state: 'found', secret: 'secret-two' });
    expect(await keys.read(other)).toEqual({ state: 'found', secret: 'secret-other' });
  },
);

test('a damaged file and a link are not used and are told apart', async () => {
  const keys = openKeyFile(folder);
  await writeFile(file, 'not json', { mode: 0o600 });
  expect(await keys.read(ACCOUNT)).toMatchObject({ reason: expect.stringContaining('damaged') });
  expect(await keys.write(ACCOUNT, 'secret-new')).toEqual({ state: 'done' });
  expect(await keys.read(ACCOUNT)).toEqual({ state: 'found', secret: 'secret-new' });
  await rm(file);
  await symlink(join(folder, 'elsewhere'), file);
  expect(await keys.read(ACCOUNT)).toMatchObject({ reason: expect.stringContaining('ordinary') });
});
