import { expect, test } from 'vitest';
import { birthOf, readStartTicks } from './birth.ts';

const STAT = '77 (a (b) c) S 1 77 77 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 123456 1024 1';

test("the start time is found behind any program's name", () => {
  expect(readStartTicks(STAT)).toBe('123456');
  expect(readStartTicks('')).toBeNull();
});

test.runIf(process.platform === 'linux')(
  'a process has one birth, and no two processes share it with their id',
  async () => {
    const own = await birthOf(process.pid);
    expect(own).toMatch(/^[0-9a-f-]{36} \d+$/u);
    expect(await birthOf(process.pid)).toBe(own);
    expect(await birthOf(process.ppid)).not.toBe(own);
    expect(await birthOf(2 ** 22 + 1)).toBeNull();
  },
);
