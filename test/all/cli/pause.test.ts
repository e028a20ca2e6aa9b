import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, assert, beforeEach, expect, test } from 'vitest';
import { readLockOwner } from '../../../host/lock/instance-lock.ts';
import {
  openTestMachine,
  type RunningServer,
  type TestMachine,
} from '../../kit/process/test-machine.ts';

let terminal: TestMachine;
beforeEach(async () => {
  terminal = await openTestMachine();
});
afterEach(async () => await terminal[Symbol.asyncDispose]());

async function ask({ port, localKey }: RunningServer): Promise<number> {
  return (await request({ port, localKey })).status;
}

async function request({ port, localKey }: Pick<RunningServer, 'port' | 'localKey'>) {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/models`, {
    headers: { authorization: `Bearer ${localKey}` },
  });
  return { status: answer.status, text: await answer.text() };
}

test.each([[[]], [['--no-ui']]])('pause and resume act on serve %j', async (args) => {
  await using serving = await terminal.serve(args);
  const paused = await terminal.run(['pause']);
  expect([paused.code, paused.stderr]).toEqual([0, '']);
  expect(paused.stdout).toContain('Paused: new requests are refused');
  expect(await ask(serving)).toBe(503);
  expect((await terminal.run(['status'])).stdout).toContain('paused at');
  expect(await terminal.json(['resume'])).toEqual({ paused: false, running: 0 });
  expect(await ask(serving)).toBe(200);
});

test.each([
  [[], 'Resume it in the window under Home, or with the command: '],
  [['--no-ui'], 'Resume it with the command: '],
])('finding 12: the refusal of serve %j names only what exists there', async (args, words) => {
  await using serving = await terminal.serve(args);
  await terminal.run(['pause']);
  const { status, text } = await request(serving);
  expect(status).toBe(503);
  expect(text).toContain(words);
  expect(text).toContain('gatehouse resume');
  expect(text).not.toMatch(/tray/iu);
  if (args.length > 0) expect(text).not.toMatch(/window/iu);
});

test('two commands at the same moment both succeed', async () => {
  await using serving = await terminal.serve();
  const both = await Promise.all([terminal.run(['pause']), terminal.run(['pause'])]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(await ask(serving)).toBe(503);
});

test('where no Gatehouse runs, that is said with how to start it', async () => {
  for (const command of ['pause', 'resume']) {
    const { code, stderr } = await terminal.run([command]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^No Gatehouse is running .* Start it: gatehouse serve\n$/u);
  }
});

test('the keys of serving.json differ from each other and after each start, and only the owner reads them', async () => {
  const seen = new Set<string>();
  for (let start = 1; start <= 2; start += 1) {
    await using serving = await terminal.serve();
    expect((await stat(join(terminal.dataDir, 'serving.json'))).mode & 0o777).toBe(0o600);
    const owner = await readLockOwner(terminal.dataDir);
    assert(owner?.controlKey != null && owner.reportKey !== null);
    seen.add(owner.controlKey).add(owner.reportKey);
    await serving.stop('SIGINT');
  }
  expect(seen.size).toBe(4);
});

test('an engine that does not know the key, or has ended, is told in a sentence', async () => {
  await using serving = await terminal.serve();
  const file = join(terminal.dataDir, 'serving.json');
  const facts: unknown = JSON.parse(await readFile(file, 'utf8'));
  assert(typeof facts === 'object' && facts !== null);
  for (const wrong of [{ controlKey: 'another' }, { port: 1 }, { controlKey: null }]) {
    await writeFile(file, JSON.stringify({ ...facts, ...wrong }));
    const { code, stdout, stderr } = await terminal.run(['pause']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/does not answer commands: it may be starting or stopping/u);
  }
  expect(await ask(serving)).toBe(200);
});
