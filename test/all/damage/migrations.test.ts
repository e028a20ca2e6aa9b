import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listCopies, createCopy } from '../../../gateway/backup/backup.ts';
import { openRepositories } from '../../../gateway/gateway.ts';
import { inspect, DATABASE_KINDS, createExpectedSchema } from '../../../gateway/store/store.ts';
import type { TestMachine } from '../../kit/process/test-machine.ts';
import { createHost, createUsedFolders, type UsedFolders, openCopy } from './folder.ts';
import { runSql } from '../../kit/disk/corrupt-files.ts';

const DB = 'gatehouse.db';
const NAMES = Object.keys(DATABASE_KINDS.gatehouse.migrations);

let lived: UsedFolders;
beforeAll(async () => {
  lived = await createUsedFolders();
});
afterAll(async () => await lived[Symbol.asyncDispose]());

async function copiesOf(dataDir: string): Promise<readonly string[]> {
  const copies = await listCopies(dataDir);
  return copies.filter(({ database }) => database === 'gatehouse').map(({ name }) => name);
}

/** Opens a folder with three intact copies, as days of use leave them. */
async function openWithCopies(): Promise<TestMachine> {
  const terminal = await openCopy(lived.stopped);
  const { dataDir } = terminal;
  for (let day = 0; day < 3; day += 1) await createCopy({ dataDir, now: Date.now }, 'gatehouse');
  return terminal;
}

/** Replaces the database with one of an earlier version, with one client. */
async function putEarlier(dataDir: string, migrations: number): Promise<void> {
  const names = NAMES.slice(0, migrations);
  const { statements } = createExpectedSchema(DATABASE_KINDS.gatehouse.migrations, names);
  const file = join(dataDir, DB);
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
  const database = new DatabaseSync(file);
  try {
    database.exec(`pragma application_id = ${DATABASE_KINDS.gatehouse.applicationId}`);
    for (const statement of statements.values()) database.exec(statement);
    for (const name of names) {
      database.prepare('insert into kysely_migration values (?, ?)').run(name, '2026');
    }
    database.exec(`insert into client (id, name, key_hash, created_at) values ('a', 'A', 'ab', 1)`);
  } finally {
    database.close();
  }
}

test.each([
  ['is empty', 'delete from kysely_migration', 'its list of migrations is empty'],
  [
    'ends too early',
    `delete from kysely_migration where name >= '0005'`,
    'its list of migrations is incomplete',
  ],
  // The one after it changes only numbers, so it may run again.
  [
    'lacks the last one that changes tables',
    `delete from kysely_migration where name >= '0013-replaced-keys'`,
    'its list of migrations is incomplete',
  ],
  [
    'has a gap',
    `delete from kysely_migration where name = '${NAMES[2]}'`,
    `it lacks "${NAMES[2]}"`,
  ],
])('a list of migrations that %s is damage, and keeps every copy', async (_name, sql, cause) => {
  await using terminal = await openWithCopies();
  const { dataDir } = terminal;
  const before = await copiesOf(dataDir);
  runSql(dataDir, DB, sql);
  for (const args of [['doctor'], ['doctor'], ['doctor'], ['serve', '--port', '0']]) {
    const { code, stdout, stderr } = await terminal.run(args);
    const output = `${stdout}${stderr}`.replaceAll(/\s+/gu, ' ');
    expect(code).toBe(1);
    expect(output).toContain(cause);
    expect(output).toContain(`restore ${before[0]}`);
    expect(output).not.toContain('error in Gatehouse');
  }
  expect(await copiesOf(dataDir)).toEqual(before);
  const restored = await terminal.run(['restore', before[0] ?? '', '--yes']);
  expect(restored.code).toBe(0);
  await using serving = await terminal.serve(['--no-ui']);
  expect(serving.port).toBeGreaterThan(0);
});

test('a copy with an empty list of migrations is not restored', async () => {
  await using terminal = await openWithCopies();
  const { dataDir } = terminal;
  const [name = ''] = await copiesOf(dataDir);
  runSql(join(dataDir, 'copies'), `${name}.db`, 'delete from kysely_migration');
  const { code, stderr } = await terminal.run(['restore', name, '--yes']);
  expect([code, stderr.replaceAll(/\s+/gu, ' ')]).toEqual([
    1,
    expect.stringContaining('its list of migrations is empty'),
  ]);
});

test('doctor changes no tables and makes no copy of a database of an earlier Gatehouse', async () => {
  await using terminal = await openWithCopies();
  const { dataDir } = terminal;
  const before = await copiesOf(dataDir);
  await putEarlier(dataDir, NAMES.length - 1);
  const { stdout } = await terminal.run(['doctor']);
  expect(stdout.replaceAll(/\s+/gu, ' ')).toContain('the next start updates its tables');
  expect(await copiesOf(dataDir)).toEqual(before);
  const found = inspect(join(dataDir, DB), DATABASE_KINDS.gatehouse);
  expect(found?.done).toEqual(NAMES.slice(0, -1));
});

test('a migration that fails at every start leaves one copy and removes none; one that succeeds leaves three', async () => {
  await using terminal = await openWithCopies();
  const { dataDir } = terminal;
  const before = await copiesOf(dataDir);
  await putEarlier(dataDir, 6);
  runSql(dataDir, DB, 'create view new_exchange as select 1');
  for (let start = 0; start < 4; start += 1) {
    await expect(openRepositories({ host: createHost(dataDir), serves: true })).rejects.toThrow();
  }
  const after = await copiesOf(dataDir);
  expect(after).toEqual([expect.stringMatching(/-before-7$/u), ...before]);
  runSql(dataDir, DB, 'drop view new_exchange');
  await (await openRepositories({ host: createHost(dataDir) })).close();
  const remaining = await copiesOf(dataDir);
  expect(remaining).toEqual([expect.stringMatching(/-before-7$/u), ...before.slice(0, 2)]);
});

test('two processes that migrate one database at once leave a copy of the original', async () => {
  await using terminal = await openCopy(lived.stopped);
  const { dataDir } = terminal;
  await putEarlier(dataDir, 6);
  const ends = await Promise.all([
    terminal.run(['clients', 'list']),
    terminal.run(['clients', 'list']),
  ]);
  expect(ends.map(({ code }) => code)).toEqual([0, 0]);
  const made = (await copiesOf(dataDir)).filter((name) => name.endsWith('-before-7'));
  expect(made).toHaveLength(1);
  const copy = inspect(join(dataDir, 'copies', `${made[0]}.db`), DATABASE_KINDS.gatehouse);
  expect(copy?.done).toEqual(NAMES.slice(0, 6));
});
