import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, assert, beforeAll, expect, test } from 'vitest';
import { openRepositories } from '../../../gateway/gateway.ts';
import type { TestMachine } from '../../kit/process/test-machine.ts';
import {
  askModels,
  createHost,
  createUsedFolders,
  type UsedFolders,
  openCopy,
  listSetAside,
} from './folder.ts';
import { DAMAGE_KINDS, FLIP_SEEDS, flipForty } from './kinds.ts';
import type { DamageKind } from './damage-kind.ts';
import { countRows, foreignJournal, interruptChange } from '../../kit/disk/corrupt-files.ts';

let lived: UsedFolders;
beforeAll(async () => {
  lived = await createUsedFolders();
});
afterAll(async () => await lived[Symbol.asyncDispose]());

/** Starts Gatehouse and checks that clients are served as before; `other` is the expected status of the client "Other". */
async function expectServed(terminal: TestMachine, other = 200): Promise<string> {
  await using serving = await terminal.serve(['--no-ui']);
  const { editor, other: otherKey } = lived.keys;
  const [one, two] = [await askModels(serving, editor), await askModels(serving, otherKey)];
  expect([one.status, two.status]).toEqual([200, other]);
  await Promise.all([one.text(), two.text()]);
  return (await serving.stop('SIGTERM')).stderr;
}

/** Expects one message with file, cause and next step, and nothing else. */
function expectDamageMessage(
  output: string,
  { database, cause = '' }: DamageKind,
  dataDir: string,
): string {
  expect(output).toContain(join(dataDir, `${database}.db`));
  expect(output).toContain(cause);
  expect(output).not.toMatch(/^\s+at /mu);
  const [, name] = /restore (\w+-\d+-[\w-]+Z)/u.exec(output) ?? [];
  assert(name !== undefined, output);
  return name;
}

async function conversationsIn(dataDir: string): Promise<number | string> {
  const repositories = await openRepositories({ host: createHost(dataDir), serves: true });
  try {
    const { conversations } = await repositories.openChatRepository();
    return (await conversations.page({ find: '', limit: 100 })).conversations.length;
  } catch (error) {
    return String(error);
  } finally {
    await repositories.close();
  }
}

async function expectRefused(terminal: TestMachine, kind: DamageKind): Promise<void> {
  const { dataDir } = terminal;
  const replaces = existsSync(join(dataDir, 'gatehouse.db'));
  for (const command of [
    ['serve', '--port', '0'],
    ['clients', 'list'],
  ]) {
    const { code, stderr } = await terminal.run(command);
    expect(code).toBe(1);
    const name = expectDamageMessage(stderr.replaceAll(/\s+/gu, ' '), kind, dataDir);
    expect(stderr.replaceAll(/\s+/gu, ' ')).toContain('has 2 clients, 0 services, 0 videos');
    if (command[0] !== 'clients') continue;
    const restored = await terminal.json(['restore', name, '--yes']);
    const kept = replaces ? expect.any(String) : null;
    expect(restored).toMatchObject({ restored: { name }, setAside: kept });
  }
  if (replaces) expect((await listSetAside(dataDir)).length).toBeGreaterThan(0);
  await expectServed(terminal);
}

const WAYS: Record<
  DamageKind['expected'],
  (terminal: TestMachine, kind: DamageKind) => Promise<void>
> = {
  serves: async (terminal) => {
    await expectServed(terminal);
    expect(await listSetAside(terminal.dataDir)).toEqual([]);
  },
  'index-anew': async (terminal) => {
    // Uses a copy, because a start checks more thoroughly what doctor has found.
    await using other = await openCopy(terminal.dataDir);
    const doctor = await other.run(['doctor', '--json']);
    expect(doctor.stdout).toMatch(
      /search index of the history is damaged|gatehouse\.db is damaged/u,
    );
    const output = await expectServed(terminal);
    expect(output.replaceAll(/\s+/gu, ' ')).toMatch(/no exchange is lost|nothing is lost/u);
    expect(await listSetAside(terminal.dataDir)).toEqual([]);
    // The history has the exchanges from before the damage, and the new requests.
    expect(countRows(terminal.dataDir, 'gatehouse.db', 'exchange')).toBe(2_002);
    expect((await terminal.run(['doctor', '--json'])).stdout).not.toMatch(/damaged/u);
  },
  'one-client': async (terminal) => {
    const output = await expectServed(terminal, 401);
    expect(output).toContain('The local key of the client "Other" is damaged');
  },
  'history-anew': async (terminal, kind) => {
    const output = await expectServed(terminal);
    expect(output).toContain(kind.cause ?? '');
    expect(output).toContain('The history starts empty');
    expect((await listSetAside(terminal.dataDir)).length).toBeGreaterThan(0);
    await expectServed(terminal);
  },
  'log-left-out': async (terminal) => {
    const output = await expectServed(terminal);
    expect(output).toContain('does not belong to it and is ignored');
    expect(await listSetAside(terminal.dataDir)).not.toEqual([]);
  },
  'log-kept': async (terminal, { cause = '' }) => {
    const output = await expectServed(terminal);
    expect(output).toContain(`has lost its latest changes: ${cause}`);
    expect(await listSetAside(terminal.dataDir)).not.toEqual([]);
  },
  refused: expectRefused,
  newer: async (terminal) => {
    const { code, stderr } = await terminal.run(['serve', '--port', '0']);
    expect(code).toBe(1);
    expect(stderr.replaceAll(/\s+/gu, ' ')).toContain('was written by a newer Gatehouse');
  },
  'chat-refused': async (terminal, kind) => {
    const { dataDir } = terminal;
    await expectServed(terminal);
    const output = await conversationsIn(dataDir);
    const name = expectDamageMessage(String(output), kind, dataDir);
    expect(output).toContain('40 conversations');
    expect((await terminal.run(['restore', name, '--yes'])).code).toBe(0);
    expect(await conversationsIn(dataDir)).toBe(40);
  },
};

test.each(DAMAGE_KINDS)(
  'if $name, Gatehouse reacts with $expected ($before before)',
  async (kind) => {
    await using terminal = await openCopy(lived[kind.before]);
    await kind.damage(terminal.dataDir);
    await WAYS[kind.expected](terminal, kind);
  },
);

test.each(FLIP_SEEDS)('forty flipped bytes are noticed and reported (seed %i)', async (seed) => {
  await using terminal = await openCopy(lived.stopped);
  flipForty(terminal.dataDir, seed);
  const { stdout } = await terminal.run(['doctor', '--json']);
  expect(stdout).toContain('damaged');
  const started = terminal.begin(['serve', '--port', '0', '--no-ui']);
  const outcome = await Promise.race([
    started.finished.then(() => 'refused'),
    started.errorSays('was damaged').then(() => 'mended'),
  ]);
  started.child.kill('SIGTERM');
  const { stderr: output } = await started.finished;
  expect(output).toContain(join(terminal.dataDir, 'gatehouse.db'));
  expect(output).not.toMatch(/^\s+at /mu);
  if (outcome === 'refused')
    expect(output.replaceAll(/\s+/gu, ' ')).toMatch(/restore gatehouse-\d+/u);
  else await expectServed(terminal);
});

test.skipIf(process.getuid?.() === 0)('an unreadable file is reported as such', async () => {
  await using terminal = await openCopy(lived.stopped);
  const file = join(terminal.dataDir, 'gatehouse.db');
  await chmod(file, 0);
  const { code, stderr } = await terminal.run(['serve', '--port', '0']);
  expect(code).toBe(1);
  expect(stderr.replaceAll(/\s+/gu, ' ')).toContain(`The database ${file} cannot be opened`);
});

test('a restored copy is complete and private to its owner, and the damaged file is kept unchanged', async () => {
  await using terminal = await openCopy(lived.stopped);
  const { dataDir } = terminal;
  const file = join(dataDir, 'gatehouse.db');
  const rubbish = randomBytes(5_000);
  await writeFile(file, rubbish);
  const listed = await terminal.json(['restore']);
  const name = JSON.stringify(listed).match(/gatehouse-\d+-[\w-]+Z/u)?.[0] ?? '';
  const asked = await terminal.run(['restore', name]);
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
  const answer = await terminal.json(['restore', name, '--yes']);
  assert(typeof answer === 'object' && answer !== null && 'setAside' in answer);
  expect(await readFile(String(answer.setAside))).toEqual(rubbish);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await expectServed(terminal);
  const unknown = await terminal.run(['restore', 'gatehouse-9', '--yes']);
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    expect.stringContaining('no copy with this name'),
  ]);
});

test('a journal beside the database is moved away with it, so that it does not damage the copy', async () => {
  await using terminal = await openCopy(lived.stopped);
  const { dataDir } = terminal;
  interruptChange(dataDir, 'gatehouse.db');
  const { stdout } = await terminal.run(['restore']);
  const name = /gatehouse-\d+-[\w-]+Z/u.exec(stdout)?.[0] ?? '';
  expect((await terminal.run(['restore', name, '--yes'])).code).toBe(0);
  expect(existsSync(join(dataDir, 'gatehouse.db-journal'))).toBe(false);
  expect(await listSetAside(dataDir)).toContainEqual(expect.stringMatching(/\.db-journal$/u));
  await expectServed(terminal);
});

test('the journal of another database beside one with a log is moved away before it is read', async () => {
  await using terminal = await openCopy(lived.killed);
  const { dataDir } = terminal;
  foreignJournal(dataDir, 'gatehouse.db');
  await expectServed(terminal);
  expect(existsSync(join(dataDir, 'gatehouse.db-journal'))).toBe(false);
  expect(await listSetAside(dataDir)).toStrictEqual([expect.stringMatching(/\.db-journal$/u)]);
});

test('nothing is restored while Gatehouse runs', async () => {
  await using terminal = await openCopy(lived.stopped);
  await using serving = await terminal.serve(['--no-ui']);
  const { stdout } = await terminal.run(['restore']);
  const name = /gatehouse-\d+-[\w-]+Z/u.exec(stdout)?.[0] ?? '';
  const { code, stderr } = await terminal.run(['restore', name, '--yes']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('Stop it first')]);
  expect((await askModels(serving, lived.keys.editor)).status).toBe(200);
});
