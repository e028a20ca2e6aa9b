import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { gatherReleaseFiles } from './release-files.ts';

async function made(files: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-release-'));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(folder, 'made', path, '..'), { recursive: true });
    await writeFile(join(folder, 'made', path), content);
  }
  const release = join(folder, 'release');
  return {
    release,
    gather: async () => await gatherReleaseFiles(join(folder, 'made'), release),
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true }),
  };
}

const update = (name: string, version = '1.2.0') =>
  `version: ${version}\nfiles:\n  - url: ${name}.zip\n    sha512: x\n    size: 1\npath: ${name}.zip\nsha512: x\n`;

test('the updates of both kinds of Macs stand in one description', async () => {
  await using folder = await made({
    'packages-macos-15/latest-mac.yml': update('mac-arm64'),
    'packages-macos-15/mac-arm64.zip': 'arm64',
    'packages-macos-15-intel/latest-mac.yml': update('mac-x64'),
    'packages-macos-15-intel/mac-x64.zip': 'x64',
    'packages-ubuntu-24.04/latest-linux.yml': update('linux'),
  });
  await folder.gather();
  const names = ['latest-linux.yml', 'latest-mac.yml', 'mac-arm64.zip', 'mac-x64.zip'];
  expect((await readdir(folder.release)).toSorted()).toEqual(names);
  const text = await readFile(join(folder.release, 'latest-mac.yml'), 'utf8');
  expect(parse(text)).toMatchObject({
    version: '1.2.0',
    files: [{ url: 'mac-x64.zip' }, { url: 'mac-arm64.zip' }],
    path: 'mac-x64.zip',
  });
});

test('two packages of one name, and two versions, are refused', async () => {
  await using packages = await made({ 'a/app.zip': '1', 'b/app.zip': '2' });
  await expect(packages.gather()).rejects.toThrow('app.zip was made more than once');
  await using versions = await made({
    'a/latest-mac.yml': update('a'),
    'b/latest-mac.yml': update('b', '1.3.0'),
  });
  await expect(versions.gather()).rejects.toThrow('Several versions: 1.2.0, 1.3.0');
});
