import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { Status } from '../../../../shared/status.ts';
import { freePort } from '../../../kit/net/free-port.ts';
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
  expect((await terminal.run(['status', '--ready'])).code).toBe(0);
  expect(status).toMatchObject({ port: serving.port, load: { circuit: 'closed' } });
});

test('status ends with 1 where no Gatehouse runs, with JSON when that is asked for', async () => {
  const plain = await terminal.run(['status']);
  expect(plain.code).toBe(1);
  expect(plain.stderr).toContain('No Gatehouse is running on the data folder');
  const json = await terminal.run(['status', '--json']);
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stdout)).toEqual({
    running: false,
    pid: null,
    status: null,
    hindrances: ['No Gatehouse is running.'],
  });
});

test('a pause and an unreachable service are said, and --ready ends with 1', async () => {
  const closed = await freePort();
  const environment = {
    GATEHOUSE_UPSTREAM_URL: `http://127.0.0.1:${closed}`,
    GATEHOUSE_UPSTREAM_KEY: 'sk-of-no-service',
  };
  await using serving = await terminal.serve([], { environment });
  await fetch(`http://127.0.0.1:${serving.port}/v1/models/any`, {
    headers: { authorization: `Bearer ${serving.localKey}` },
  });
  const unreachable = await terminal.run(['status']);
  expect(unreachable.code).toBe(0);
  expect(unreachable.stdout).toContain('The service is unreachable: ');
  await terminal.run(['pause']);
  const { code, stdout } = await terminal.run(['status']);
  expect(code).toBe(0);
  expect(stdout).toContain('Paused: requests are refused. To continue: gatehouse resume');
  const ready = await terminal.run(['status', '--ready', '--json']);
  expect(ready.code).toBe(1);
  expect(JSON.parse(ready.stdout)).toMatchObject({
    running: true,
    hindrances: [expect.stringContaining('Paused'), expect.stringContaining('unreachable')],
  });
});
