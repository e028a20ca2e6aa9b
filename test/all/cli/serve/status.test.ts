import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { Status } from '../../../../shared/status.ts';
import { openTestMachine, type TestMachine } from '../../../kit/process/test-machine.ts';

let terminal: TestMachine;
beforeEach(async () => {
  terminal = await openTestMachine();
});
afterEach(async () => await terminal[Symbol.asyncDispose]());

test('status tells how the running Gatehouse and its service are', async () => {
  await using serving = await terminal.serve();
  await fetch(`http://127.0.0.1:${serving.port}/v1/models`, {
    headers: { authorization: `Bearer ${serving.localKey}` },
  });
  const plain = await terminal.run(['status']);
  expect([plain.code, plain.stderr]).toEqual([0, '']);
  expect(plain.stdout).toContain(`running at http://127.0.0.1:${serving.port}`);
  expect(plain.stdout).toContain('0 in flight, 0 waiting, no limit');
  const json = await terminal.run(['status', '--json']);
  expect(json.code).toBe(0);
  const reported = z.object({ running: z.literal(true), pid: z.int(), status: Status });
  const { pid, status } = reported.parse(JSON.parse(json.stdout));
  expect(pid).toBe(serving.child.pid);
  expect(status).toMatchObject({ port: serving.port, load: { circuit: 'closed' } });
});

test('status ends with 1 where no Gatehouse runs, with JSON when that is asked for', async () => {
  const plain = await terminal.run(['status']);
  expect(plain.code).toBe(1);
  expect(plain.stderr).toContain('No Gatehouse is running on the data folder');
  const json = await terminal.run(['status', '--json']);
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stdout)).toEqual({ running: false, pid: null, status: null });
});
