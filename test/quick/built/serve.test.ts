import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSandbox } from '../../../sandbox/server.ts';
import { PROGRAMS } from '../../kit/process/program.ts';
import {
  openTestMachine,
  type RunningServer,
  sandboxEnvironment,
  type TestMachine,
} from '../../kit/process/test-machine.ts';
import { ask } from '../../kit/process/streamed-question.ts';

let terminal: TestMachine;

beforeEach(async () => {
  terminal = await openTestMachine();
});

afterEach(async () => await terminal[Symbol.asyncDispose]());

const curlLine = ({ banner }: RunningServer) =>
  banner.split('\n').find((line) => line.trim().startsWith('curl ')) ?? '';

test.skipIf(process.platform === 'win32').each(PROGRAMS)(
  'the first start runs with the sandbox, and its line works when pasted, $how',
  async ({ program }) => {
    await using machine = await openTestMachine(program);
    await using serving = await machine.serve();
    expect(serving.banner).toContain('the sandbox on this machine');
    const pasted = await promisify(execFile)('sh', ['-c', curlLine(serving)]);
    expect(JSON.parse(pasted.stdout)).toMatchObject({ object: 'chat.completion' });
    const { code, stderr } = await serving.stop('SIGINT');
    expect([code, stderr]).toEqual([0, 'Stopping.\n']);
  },
);

test('the help loads every command, and lists it', async () => {
  const { code, stdout, stderr } = await terminal.run(['--help']);
  expect([code, stderr]).toEqual([0, '']);
  for (const command of ['serve', 'history', 'export', 'doctor']) {
    expect(stdout).toMatch(new RegExp(String.raw`^\s+${command} `, 'mu'));
  }
});

test('a later start does not show the local key again, and the key still works', async () => {
  const first = await terminal.serve();
  await first.stop('SIGTERM');
  await using second = await terminal.serve();
  expect(second.localKey).toBe('');
  expect(second.banner).toContain('$GATEHOUSE_LOCAL_KEY');
  const answer = await ask(second, first.localKey);
  expect(answer.status).toBe(200);
  await answer.text();
});

test('whatever an earlier run left in its note, the next one starts', async () => {
  await (await terminal.serve()).stop('SIGKILL');
  const note = { pid: process.pid, host: hostname(), port: 1, windowPort: null };
  const whole = JSON.stringify({ ...note, runs: 'serve', service: null });
  for (const left of [whole, '{"pid":1}', '']) {
    await writeFile(join(terminal.dataDir, 'serving.json'), left);
    const serving = await terminal.serve();
    expect(serving.port).toBeGreaterThan(0);
    await serving.stop('SIGKILL');
  }
});

test('Ctrl-C lets a running exchange end, and says that it waits', async () => {
  await using sandbox = await openSandbox();
  await using serving = await terminal.serve([], { environment: sandboxEnvironment(sandbox) });
  const answer = await ask(serving, serving.localKey, 'gate=1');
  const stopped = serving.stop('SIGINT');
  await serving.errorSays('1 running exchange');
  sandbox.openGate(1);
  expect(await answer.text()).toContain('data: [DONE]');
  expect((await stopped).code).toBe(0);
});
