import { connect } from 'node:net';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { createControlHandler } from '../../../gateway/api/api.ts';
import { listPrivateAddresses } from '../../../gateway/lib/own-addresses.ts';
import { toListenerOrigin } from '../../../shared/connect/further-listener.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';
import { freePort } from '../../kit/net/free-port.ts';
import { chunk, LAST_CHUNK, STREAM_HEAD } from '../../kit/net/scripted-upstream.ts';

const [own] = listPrivateAddresses();
/** A private address that no machine of a test has. */
const ABSENT = '10.254.253.252';

async function listenAt({ gateway }: Harness, ...addresses: readonly string[]): Promise<void> {
  const furtherListeners = addresses.map((address) => ({ name: `at ${address}`, address }));
  await gateway.changeSettings({ furtherListeners });
}

function request(
  { port, localKey }: Harness,
  address: string,
  path = '/v1/models',
  key = localKey,
) {
  return fetch(`${toListenerOrigin({ address }, port)}${path}`, {
    headers: { authorization: `Bearer ${key}` },
  });
}

describe.skipIf(own === undefined)('an address of a private network', () => {
  const address = own?.address ?? '';

  test('is listened at from the change on, with a local key only', async () => {
    await using harness = await startHarness();
    await expect(request(harness, address)).rejects.toThrow('fetch failed');
    await listenAt(harness, address);
    expect((await request(harness, address)).status).toBe(200);
    const refused = await request(harness, address, '/v1/models', 'gh-wrong');
    expect([refused.status, refused.headers.get('x-gatehouse-error')]).toEqual([
      401,
      'invalid_local_key',
    ]);
    expect((await harness.gateway.status()).furtherListeners).toEqual([
      { name: `at ${address}`, address, problem: null },
    ]);
    await listenAt(harness);
    await expect(request(harness, address)).rejects.toThrow('fetch failed');
    expect((await fetch(`http://127.0.0.1:${harness.port}/health`)).status).toBe(200);
  });

  test('serves no commands, although they have the control key', async () => {
    await using harness = await startHarness();
    const { gateway, repositories } = harness;
    const { store, host } = repositories;
    gateway.serveControl(createControlHandler({ gateway, store, host, windowPort: null }));
    await listenAt(harness, address);
    const pause = (root: string) =>
      fetch(`${root}/control/status/pause`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${gateway.controlKey}`,
          'content-type': 'application/json',
        },
        body: '{}',
      });
    expect((await pause(toListenerOrigin({ address }, harness.port))).status).toBe(401);
    expect((await gateway.status()).paused).toBe(false);
    expect((await pause(`http://127.0.0.1:${harness.port}`)).status).toBe(200);
  });

  test('names itself in the refusal of a foreign host', async () => {
    await using harness = await startHarness();
    await listenAt(harness, address);
    const socket = connect({ host: address, port: harness.port });
    await once(socket, 'connect');
    socket.end('GET /v1/models HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n');
    const answer = String(Buffer.concat(await socket.toArray()));
    expect(answer).toContain('421');
    expect(answer).toContain(`Use ${toListenerOrigin({ address }, harness.port)},`);
  });

  test('moves with the port, and a stream there finishes', async () => {
    await using both = await startScriptedHarness();
    const { harness, upstream } = both;
    await listenAt(harness, address);
    const before = toListenerOrigin({ address }, harness.port);
    const asking = fetch(`${before}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${harness.localKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ model: 'm', stream: true, messages: [] }),
    });
    const { connection } = await upstream.next();
    connection.send(STREAM_HEAD);
    const answer = await asking;
    await harness.gateway.changeSettings({ port: await freePort() });
    expect((await request(harness, address, '/health')).status).toBe(200);
    await expect(fetch(`${before}/health`)).rejects.toThrow('fetch failed');
    connection.send(chunk('data: [DONE]\n\n'));
    connection.send(LAST_CHUNK);
    expect(await answer.text()).toContain('[DONE]');
  });

  test('is freed when the gateway ends', async () => {
    await using harness = await startHarness();
    await listenAt(harness, address);
    const { port } = harness;
    await harness.gateway.close(0);
    await expect(fetch(`${toListenerOrigin({ address }, port)}/health`)).rejects.toThrow();
  });
});

test('an address that this machine does not have is a problem that harms nothing', async () => {
  await using harness = await startHarness();
  await listenAt(harness, ABSENT);
  expect((await harness.gateway.status()).furtherListeners).toEqual([
    {
      name: `at ${ABSENT}`,
      address: ABSENT,
      problem: 'This machine does not have this address now.',
    },
  ]);
  expect((await fetch(`http://127.0.0.1:${harness.port}/health`)).status).toBe(200);
});

test('two that are added at the same moment are both kept', async () => {
  await using harness = await startHarness();
  const add = (address: string) =>
    harness.gateway.changeSettings(({ furtherListeners }) => ({
      furtherListeners: [...furtherListeners, { name: address, address }],
    }));
  await Promise.all([add('10.254.253.1'), add('10.254.253.2')]);
  expect(harness.gateway.settings().settings.furtherListeners).toHaveLength(2);
});

test.each([
  ['0.0.0.0', 'stands for every network'],
  ['::', 'stands for every network'],
  ['127.0.0.2', 'reach Gatehouse already'],
  ['8.8.8.8', 'not an address of a private network'],
  ['169.254.1.1', 'not an address of a private network'],
  ['fe80::1%eth0', 'is not an IP address'],
  ['docker0', 'is not an IP address'],
])('%s is refused with what to do', async (address, message) => {
  await using harness = await startHarness();
  await expect(listenAt(harness, address)).rejects.toMatchObject({
    name: 'UserError',
    field: 'furtherListeners',
    message: expect.stringContaining(message),
  });
});

test('two listeners have neither the same address, in any notation, nor the same name', async () => {
  await using harness = await startHarness();
  const change = (...furtherListeners: readonly { name: string; address: string }[]) =>
    harness.gateway.changeSettings({ furtherListeners: [...furtherListeners] });
  await expect(
    change({ name: 'a', address: 'fd00::1' }, { name: 'b', address: 'FD00:0::1' }),
  ).rejects.toThrow('listens at fd00::1 already');
  await expect(
    change({ name: 'WSL', address: '10.254.253.1' }, { name: 'wsl', address: '10.254.253.2' }),
  ).rejects.toThrow('already a listener');
});
