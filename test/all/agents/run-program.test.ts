import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { runProgram } from './run-program.ts';

const start = { command: process.execPath, cwd: tmpdir(), environment: {}, timeLimitMs: 20_000 };

test('both outputs of a program are returned without colours, with its code', async () => {
  const script =
    'console.log("\\u001b[31mred\\u001b[0m"); console.error("blue"); process.exitCode = 3';
  const { code, isTimedOut, shown } = await runProgram({ ...start, args: ['-e', script] });
  expect([code, isTimedOut]).toEqual([3, false]);
  expect(shown.split('\n').toSorted()).toEqual(['', 'blue', 'red']);
});

test.skipIf(process.platform === 'win32')(
  'a program that does not end is ended with the processes that it started',
  async () => {
    // Both wait forever; the outputs close only when both have ended.
    const wait = 'setInterval(() => undefined, 1000)';
    const script = `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(wait)}], { stdio: "inherit" }); ${wait}`;
    const end = await runProgram({ ...start, args: ['-e', script], timeLimitMs: 1_500 });
    expect(end).toMatchObject({ code: null, isTimedOut: true });
  },
);

test.skipIf(process.platform === 'win32')(
  'what a program leaves running is ended with it',
  async () => {
    const script = `require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => undefined, 1000)"], { stdio: "inherit" }).unref()`;
    expect(await runProgram({ ...start, args: ['-e', script] })).toMatchObject({
      code: 0,
      isTimedOut: false,
    });
  },
);

test('a command that does not exist is an error', async () => {
  await expect(runProgram({ ...start, command: '/nowhere/agent', args: [] })).rejects.toThrow(
    'ENOENT',
  );
});
