import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { assert, expect, test } from 'vitest';
import { acquireLock, readLockOwner } from '../../../../host/lock/instance-lock.ts';
import { openTestMachine } from '../../../kit/process/test-machine.ts';

/** A service whose answers wait for the test. */
async function openWaitingService() {
  const arrived = Promise.withResolvers<ServerResponse>();
  const server = createServer((request, response) => {
    if (request.method === 'POST') arrived.resolve(response);
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert(typeof address === 'object' && address !== null);
  return {
    url: `http://127.0.0.1:${address.port}`,
    arrived: arrived.promise,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

test('stop ends the Gatehouse that runs when its requests have ended, and says where none runs', async () => {
  await using service = await openWaitingService();
  await using machine = await openTestMachine();
  await using serving = await machine.serve(['--no-ui'], {
    environment: { GATEHOUSE_UPSTREAM_URL: service.url, GATEHOUSE_UPSTREAM_KEY: 'sk-0123456789ab' },
  });
  const answer = fetch(`http://127.0.0.1:${serving.port}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${serving.localKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ model: 'some/model', messages: [{ role: 'user', content: 'Hi' }] }),
  });
  const waiting = await service.arrived;
  await using stopping = machine.begin(['stop']);
  await stopping.errorSays('Waiting for 1 request in progress, for a minute at most.');
  expect(await readLockOwner(machine.dataDir)).not.toBeNull();
  await using again = machine.begin(['stop']);
  await again.errorSays('does not answer commands: it may be ending already. Waiting for its end.');
  waiting.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":[]}');
  expect((await answer).status).toBe(200);
  for (const { finished } of [stopping, again]) {
    expect(await finished).toMatchObject({
      code: 0,
      stdout: `Gatehouse (pid ${serving.child.pid}) has ended.\n`,
    });
  }
  expect(await readLockOwner(machine.dataDir)).toBeNull();
  expect(await machine.run(['stop'])).toEqual({
    code: 0,
    stdout: `No Gatehouse is running on the data folder ${machine.dataDir}.\n`,
    stderr: '',
  });
  expect(await machine.json(['stop'])).toEqual({ stopped: false, pid: null });
});

test.each([
  ['desktop', 'Quit it from its tray, or in its window under Settings.'],
  ['video', 'End it with Ctrl-C: no video is lost.'],
] as const)('stop leaves what runs as %s, and says how it is ended', async (runs, words) => {
  await using machine = await openTestMachine();
  await mkdir(machine.dataDir, { mode: 0o700 });
  const lock = await acquireLock(machine.dataDir, runs);
  assert('release' in lock);
  try {
    const { code, stdout, stderr } = await machine.run(['stop']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`(pid ${process.pid}). ${words}`);
  } finally {
    lock.release();
  }
});
