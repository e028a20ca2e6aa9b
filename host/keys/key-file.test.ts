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
  expect((await readdir(folder)).toSorted()).toEqual(['service-key', 'service-key.lock']);
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
  expect(await readdir(folder)).toEqual(['service-key.lock']);
  expect(await keys.remove(ACCOUNT)).toEqual({ state: 'done' });
});

test('removing where nothing is kept leaves nothing behind', async () => {
  expect(await openKeyFile(folder).remove(ACCOUNT)).toEqual({ state: 'done' });
  expect(await readdir(folder)).toEqual([]);
});

test('what a killed process was writing is removed with the next change, also with the last key', async () => {
  const keys = openKeyFile(folder);
  await writeFile(`${file}.new`, '{"https://models.example.com":"secret-half', { mode: 0o600 });
  expect(await keys.read(ACCOUNT)).toEqual({ state: 'absent' });
  expect(await keys.remove(ACCOUNT)).toEqual({ state: 'done' });
  expect(await readdir(folder)).toEqual(['service-key.lock']);
  await writeFile(`${file}.new`, '{', { mode: 0o600 });
  expect(await keys.write(ACCOUNT, 'secret-one')).toEqual({ state: 'done' });
  expect((await readdir(folder)).toSorted()).toEqual(['service-key', 'service-key.lock']);
});

test('ten changes at once are all made, also by two that know nothing of each other', async () => {
  const [one, other] = [openKeyFile(folder), openKeyFile(folder)];
  await one.write('https://gone.example.com', 'secret-gone');
  const saves = Array.from({ length: 10 }, async (_, n) =>
    (n % 2 === 0 ? one : other).write(`https://s${n}.example.com`, `secret-${n}`),
  );
  const done = await Promise.all([...saves, other.remove('https://gone.example.com')]);
  expect(done.every(({ state }) => state === 'done')).toBe(true);
  const kept = JSON.parse(await readFile(file, 'utf8'));
  const wanted = Array.from({ length: 10 }, (_, n) => [`https://s${n}.example.com`, `secret-${n}`]);
  expect(kept).toEqual(Object.fromEntries(wanted));
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
