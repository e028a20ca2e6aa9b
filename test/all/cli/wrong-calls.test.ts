import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSandbox } from '../../../sandbox/server.ts';
import {
  openTestMachine,
  SCRIPT_INSTALLED,
  type TestMachine,
} from '../../kit/process/test-machine.ts';

let terminal: TestMachine;
beforeEach(async () => {
  terminal = await openTestMachine();
});
afterEach(async () => await terminal[Symbol.asyncDispose]());

test.each([
  [['history', '--stauts', '404'], 'error: unknown option --stauts. Did you mean --status?'],
  [['history', '--stauts=404'], 'error: unknown option --stauts. Did you mean --status?'],
  [['status', '-json'], 'error: unknown option. Did you mean --json?'],
  [['status', '--JSON'], 'error: unknown option. Did you mean --json?'],
  [['--json', 'status'], 'error: unknown option --json. Options come after the command.'],
  [['key', '--jsn'], 'error: unknown option --jsn. Options come after the command.'],
  [['--versoin'], 'error: unknown option --versoin. Did you mean --version?'],
  [['histroy'], 'error: unknown command histroy. Did you mean history?'],
  [['clients', 'lsit'], 'error: unknown command lsit. Did you mean list?'],
  [['doctor', '--frobnicate'], 'error: unknown option --frobnicate.'],
  [['frobnicate'], 'error: unknown command frobnicate.'],
])('%j names what was typed and the nearest', async (args, message) => {
  const { code, stdout, stderr } = await terminal.run(args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toBe(`${message}\nRun it with --help for its usage.\n`);
});

test.skipIf(!SCRIPT_INSTALLED)('a terminal of 0 columns is taken for one of 80', async () => {
  await using screen = terminal.startAtScreen(['doctor', '--port', '0'], { COLUMNS: '0' });
  expect(await screen.ended).toBe(0);
  const lines = screen.output().split(/\r?\n/u);
  expect(lines.some((line) => line.includes('The data folder is'))).toBe(true);
  expect(Math.max(...lines.map((line) => line.length))).toBeGreaterThan(60);
});

test('a key in a private file is right where there is no keychain', async () => {
  await using sandbox = await openSandbox();
  const set = ['key', 'set', '--upstream', sandbox.url, '--plain-text-file'];
  expect((await terminal.run(set, { input: sandbox.key })).code).toBe(0);
  const { code, stdout } = await terminal.run(['doctor', '--port', '0']);
  expect(code).toBe(0);
  expect(stdout).toContain(
    'ok    The key is in a private file as plain text; no keychain is known here.',
  );
});
