import { once } from 'node:events';
import { expect, test } from 'vitest';
import { startProgram } from '../../host/process/child-process.ts';
import { killUtility } from './kill-utility.ts';

/** Of a process that is spawned it must not be called. */
const kill = (): boolean => {
  throw new Error('A mere request to end.');
};

test('a process is killed, and one that has ended meanwhile is left alone', async () => {
  const child = startProgram(
    { program: process.execPath, args: [] },
    { stdio: ['pipe', 'ignore', 'ignore'] },
  );
  const { pid } = child;
  const ended = once(child, 'exit');
  killUtility({ pid, kill });
  expect(await ended).toEqual([null, 'SIGKILL']);
  killUtility({ pid, kill });
});

test('a process that is not spawned yet is told to end', () => {
  let kills = 0;
  killUtility({ pid: undefined, kill: () => (kills += 1) > 0 });
  expect(kills).toBe(1);
});
