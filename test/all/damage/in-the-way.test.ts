import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listCopies } from '../../../gateway/backup/backup.ts';
import { askModels, createUsedFolders, type UsedFolders, openCopy } from './folder.ts';
import { runSql } from '../../kit/disk/corrupt-files.ts';

let lived: UsedFolders;
beforeAll(async () => {
  lived = await createUsedFolders();
});
afterAll(async () => await lived[Symbol.asyncDispose]());

const NO_FOLDERS: readonly (readonly [string, (folder: string) => void, boolean])[] = [
  ['a file', (folder) => writeFileSync(folder, ''), false],
  [
    'a folder that nobody may read',
    (folder) => {
      mkdirSync(folder);
      chmodSync(folder, 0);
    },
    process.getuid?.() === 0,
  ],
];

for (const [words, put, skipped] of NO_FOLDERS) {
  test.skipIf(skipped)(
    `an intact database is served with ${words} in place of the copies, and restore reports it`,
    async () => {
      await using terminal = await openCopy(lived.stopped);
      const { dataDir } = terminal;
      const copies = join(dataDir, 'copies');
      rmSync(copies, { recursive: true });
      put(copies);
      await using serving = await terminal.serve(['--no-ui']);
      expect((await askModels(serving, lived.keys.editor)).status).toBe(200);
      await serving.stop('SIGTERM');
      for (const args of [['restore'], ['restore', 'gatehouse-1', '--yes']]) {
        const { code, stderr } = await terminal.run(args);
        expect([code, stderr]).toEqual([1, expect.stringContaining(copies)]);
        expect(stderr).not.toContain('error in Gatehouse');
      }
      rmSync(join(dataDir, 'gatehouse.db'));
      const { stderr } = await terminal.run(['serve', '--port', '0']);
      expect(stderr).toContain(copies);
      expect(stderr).not.toContain('error in Gatehouse');
      chmodSync(copies, 0o700);
    },
  );
}

test('a file in place of the folder for damaged files is reported by a start and by a restore', async () => {
  await using terminal = await openCopy(lived.stopped);
  const { dataDir } = terminal;
  runSql(dataDir, 'gatehouse.db', 'drop table exchange_sum');
  writeFileSync(join(dataDir, 'damaged'), '');
  const copies = await listCopies(dataDir);
  const name = copies.find(({ database }) => database === 'gatehouse')?.name ?? '';
  for (const args of [
    ['serve', '--port', '0'],
    ['restore', name, '--yes'],
  ]) {
    const { code, stderr } = await terminal.run(args);
    const output = stderr.replaceAll(/\s+/gu, ' ');
    expect([code, output]).toEqual([
      1,
      expect.stringContaining(`${join(dataDir, 'damaged')} is not a folder`),
    ]);
    expect(output).toContain('Move that away');
    expect(output).not.toContain('error in Gatehouse');
  }
  rmSync(join(dataDir, 'damaged'));
  await using serving = await terminal.serve(['--no-ui']);
  expect((await askModels(serving, lived.keys.editor)).status).toBe(200);
});

test('a folder in place of the damage note does not stop clients from being served', async () => {
  await using terminal = await openCopy(lived.stopped);
  mkdirSync(join(terminal.dataDir, 'gatehouse.damage.json'));
  await using serving = await terminal.serve(['--no-ui']);
  expect((await askModels(serving, lived.keys.editor)).status).toBe(200);
});

test.for(['-wal', '-shm', '-journal'])(
  'a folder named gatehouse.db%s is reported with its path, and without a stack',
  async (end) => {
    await using terminal = await openCopy(lived.stopped);
    mkdirSync(join(terminal.dataDir, `gatehouse.db${end}`));
    const { code, stderr } = await terminal.run(['serve', '--port', '0', '--no-ui']);
    expect(code).toBe(1);
    expect(stderr).toContain('gatehouse.db');
    expect(stderr).not.toContain('error in Gatehouse');
  },
);

test('a folder in place of the file that a restore writes is reported, and nothing is changed', async () => {
  await using terminal = await openCopy(lived.stopped);
  const { dataDir } = terminal;
  const restored = join(dataDir, 'gatehouse.db.restored.new');
  mkdirSync(restored);
  const copies = await listCopies(dataDir);
  const name = copies.find(({ database }) => database === 'gatehouse')?.name ?? '';
  const { code, stderr } = await terminal.run(['restore', name, '--yes']);
  expect([code, stderr.replaceAll(/\s+/gu, ' ')]).toEqual([
    1,
    expect.stringContaining(`${restored} is in the way. Move it away`),
  ]);
});

test('an invalid date is reported as unknown', async () => {
  await using terminal = await openCopy(lived.stopped);
  const { dataDir } = terminal;
  const note = JSON.stringify({ since: 1e300, finding: 'it is empty' });
  writeFileSync(join(dataDir, 'gatehouse.damage.json'), note);
  writeFileSync(join(dataDir, 'gatehouse.db'), '');
  writeFileSync(join(dataDir, 'copies', 'gatehouse-9-2026-99-99T99-99-99-999Z.db'), '');
  const started = await terminal.run(['serve', '--port', '0']);
  const listed = await terminal.run(['restore']);
  expect(`${started.stderr}${listed.stdout}${listed.stderr}`).not.toContain('Invalid Date');
  expect((await terminal.run(['restore', '--json'])).code).toBe(0);
});
