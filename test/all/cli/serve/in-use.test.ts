import { createServer } from 'node:http';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTestMachine, type TestMachine } from '../../../kit/process/test-machine.ts';

const KEY = 'sk-known-to-the-running-gatehouse';
const MODEL = 'north/lantern-2';

let terminal: TestMachine;
beforeEach(async () => {
  terminal = await openTestMachine();
});
afterEach(async () => await terminal[Symbol.asyncDispose]());

/** A service that lists one model for the right key. */
async function openService() {
  const server = createServer((request, response) => {
    request.resume();
    const right = request.headers.authorization === `Bearer ${KEY}`;
    response.writeHead(right ? 200 : 401, { 'content-type': 'application/json' });
    const list = { object: 'list', data: [{ id: MODEL, object: 'model' }] };
    const refusal = { error: { message: 'No.', type: 'auth', code: 'invalid_api_key' } };
    response.end(JSON.stringify(right ? list : refusal));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('beside a Gatehouse whose service and key are in its environment only', () => {
  test('key status, models and doctor tell of that service from another shell', async () => {
    await using service = await openService();
    const environment = { GATEHOUSE_UPSTREAM_URL: service.url, GATEHOUSE_UPSTREAM_KEY: KEY };
    await using serving = await terminal.serve([], { environment });
    const pid = String(serving.child.pid);

    const status = await terminal.run(['key', 'status', '--json']);
    expect([status.code, JSON.parse(status.stdout)]).toMatchObject([
      0,
      { upstream: service.url, state: 'environment', running: true },
    ]);
    // The list is in the data folder once the running Gatehouse has fetched it, which it does at its start.
    await expect.poll(async () => (await terminal.run(['models'])).stdout).toBe(`${MODEL}\n`);
    const { stderr } = await terminal.run(['models']);
    expect(stderr).toContain(`The Gatehouse that runs here (pid ${pid}) has a service key`);
    const doctor = await terminal.run(['doctor']);
    expect(doctor.stdout).toContain(`Of the Gatehouse that runs here (pid ${pid})`);
    expect(doctor.stdout).toContain(service.url);
    expect(doctor.stdout).not.toContain('sandbox');
  });

  test('a service that is chosen while it runs is told from then on', async () => {
    await using service = await openService();
    await using serving = await terminal.serve();
    expect(serving.banner).toContain('sandbox');
    const before = await terminal.run(['doctor']);
    expect(before.stdout).toContain('uses the sandbox');
    const set = ['key', 'set', '--upstream', service.url, '--plain-text-file'];
    await terminal.run(set, { input: KEY });
    await expect
      .poll(async () => JSON.parse((await terminal.run(['key', 'status', '--json'])).stdout))
      .toMatchObject({ upstream: service.url, state: 'file', running: true });
  });
});

test('while the sandbox is used, the key commands say so and name the configured services', async () => {
  await using service = await openService();
  const set = ['key', 'set', '--upstream', service.url, '--plain-text-file'];
  expect((await terminal.run(set, { input: KEY })).code).toBe(0);
  expect((await terminal.run(['services', 'use', 'sandbox'])).code).toBe(0);
  const status = await terminal.run(['key', 'status']);
  expect([status.code, status.stderr]).toEqual([0, '']);
  expect(status.stdout).toContain('The sandbox is used, which needs no service key.');
  expect(status.stdout).toContain(`Configured: ${service.url}`);
  expect(await terminal.json(['key', 'status'])).toMatchObject({ upstream: null, needed: false });
  expect(await terminal.run(['key', 'test'])).toMatchObject({ code: 2, stderr: status.stdout });
  const named = await terminal.run(['key', 'test', '--upstream', service.url]);
  expect([named.code, named.stdout]).toEqual([0, expect.stringContaining('accepted the key')]);

  await using serving = await terminal.serve();
  const running = await terminal.run(['key', 'status']);
  expect(running.code).toBe(0);
  expect(running.stdout).toContain(`(pid ${serving.child.pid}) uses the sandbox`);
  expect(running.stdout).toContain(`Configured: ${service.url}`);
});

test('key status without a service says so as JSON, with exit code 1', async () => {
  const { code, stdout } = await terminal.run(['key', 'status', '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    upstream: null,
    state: 'missing',
    needed: true,
    running: false,
  });
  const plain = await terminal.run(['key', 'status']);
  expect([plain.code, plain.stderr]).toEqual([1, expect.stringContaining('key set --upstream')]);
});

test('videos are filtered by the words that the list shows, and by their names in JSON', async () => {
  const order = ['video', 'new', '--task', 't2v', '--prompt', 'A fox', '--yes'];
  const added = await terminal.run(order);
  for (const state of ['waiting', 'Waiting', 'needs an answer', 'needs-answer', 'timed out']) {
    const { code, stdout } = await terminal.run(['video', 'list', '--state', state, '--json']);
    const { videos }: { videos: { state: string }[] } = JSON.parse(stdout);
    expect([state, code, videos.length]).toEqual([state, 0, /waiting/iu.test(state) ? 1 : 0]);
  }
  expect(added.code).toBe(1);
  expect(added.stderr).toContain('Nothing was ordered yet');
});
