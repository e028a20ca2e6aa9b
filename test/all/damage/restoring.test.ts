import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listCopies, createCopy } from '../../../gateway/backup/backup.ts';
import type { TestMachine } from '../../kit/process/test-machine.ts';
import { createUsedFolders, type UsedFolders, openCopy } from './folder.ts';
import { runSql, corrupt } from '../../kit/disk/corrupt-files.ts';

let lived: UsedFolders;
beforeAll(async () => {
  lived = await createUsedFolders();
});
afterAll(async () => await lived[Symbol.asyncDispose]());

/** Opens a folder with three copies, newest first, of which only the oldest is intact. */
async function openWithOneSound(): Promise<TestMachine & { readonly names: readonly string[] }> {
  const terminal = await openCopy(lived.stopped);
  const { dataDir } = terminal;
  for (let day = 0; day < 2; day += 1) await createCopy({ dataDir, now: Date.now }, 'gatehouse');
  const copies = (await listCopies(dataDir)).filter(({ database }) => database === 'gatehouse');
  const [newest, next] = copies;
  truncateSync(newest?.file ?? '', 0);
  runSql(join(dataDir, 'copies'), `${next?.name}.db`, 'drop table client');
  return Object.assign(terminal, { names: copies.map(({ name }) => name) });
}

test('a damaged database is rejected with the name of the newest intact copy', async () => {
  await using terminal = await openWithOneSound();
  const { dataDir, names } = terminal;
  writeFileSync(join(dataDir, 'gatehouse.db'), '');
  const { stderr } = await terminal.run(['serve', '--port', '0']);
  expect(stderr.replaceAll(/\s+/gu, ' ')).toContain(`restore ${names[2]}`);
  expect((await terminal.run(['restore', names[2] ?? '', '--yes'])).code).toBe(0);
});

test('the list of copies shows which are unusable, which database is damaged, and which copy to use', async () => {
  await using terminal = await openWithOneSound();
  const { dataDir, names } = terminal;
  const sound = await terminal.run(['restore']);
  expect(sound.stdout).not.toContain('is damaged');
  writeFileSync(join(dataDir, 'gatehouse.db'), '');
  const { code, stdout } = await terminal.run(['restore']);
  const output = stdout.replaceAll(/\s+/gu, ' ');
  expect(code).toBe(0);
  expect(output).toContain('cannot be used: it is empty (0 bytes)');
  expect(output).toContain('cannot be used: its table "client" is missing');
  expect(output).toContain(`${join(dataDir, 'gatehouse.db')} is damaged`);
  expect(output).toContain(`restore ${names[2]}`);
  const refused = await terminal.run(['restore', names[1] ?? '', '--yes']);
  expect([refused.code, refused.stderr.replaceAll(/\s+/gu, ' ')]).toEqual([
    1,
    expect.stringContaining(`${names[1]} cannot be used: its table "client" is missing`),
  ]);
});

test('without an intact copy, none is offered', async () => {
  await using terminal = await openWithOneSound();
  const { dataDir, names } = terminal;
  writeFileSync(join(dataDir, 'copies', `${names[2]}.db`), 'notes of a person');
  writeFileSync(join(dataDir, 'gatehouse.db'), '');
  const { stderr } = await terminal.run(['serve', '--port', '0']);
  expect(stderr).not.toContain(names[0]);
  expect(stderr.replaceAll(/\s+/gu, ' ')).toContain('There is no copy of it that can be used.');
});

test('a restore reports what is lost and the next step', async () => {
  await using terminal = await openCopy(lived.stopped);
  const copies = await listCopies(terminal.dataDir);
  const nameOf = (database: string) => copies.find((copy) => copy.database === database)?.name;
  const { stdout } = await terminal.run(['restore', nameOf('gatehouse') ?? '', '--yes']);
  const output = stdout.replaceAll(/\s+/gu, ' ');
  const [lost = '', done = ''] = output.split('gatehouse.db was restored to');
  expect(lost).toMatch(
    /Everything done after .+ is lost: clients and their keys, services, settings, history and the list of videos\./u,
  );
  expect(lost).toContain('Video files stay in the folder videos.');
  expect(done).toContain('no longer work: create new ones with');
  expect(done).toContain('clients add NAME');
  expect(done).toContain('check the folder videos');
  const chat = await terminal.run(['restore', nameOf('chat') ?? '', '--yes']);
  expect(chat.stdout.replaceAll(/\s+/gu, ' ')).toContain(
    'is lost: conversations, messages and images.',
  );
});

test('damage is reported in one sentence, with the command on its own line and the error of SQLite last', async () => {
  await using terminal = await openCopy(lived.stopped);
  const { dataDir } = terminal;
  corrupt(dataDir, 'gatehouse.db', 'client');
  const { stderr } = await terminal.run(['serve', '--port', '0']);
  const lines = stderr.trim().split('\n');
  expect(lines).toEqual([
    expect.stringMatching(/gatehouse\.db is damaged: parts of it cannot be read\..+ Restore it:$/u),
    expect.stringMatching(/^ {2}\S.* restore gatehouse-\d+-\S+$/u),
    expect.stringMatching(/^SQLite says: /u),
  ]);
});
