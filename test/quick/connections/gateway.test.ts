import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { sendRequest, beginRequest, question } from '../../kit/gateway/request.ts';
import { orderBody, orderRequest } from '../../kit/videos/video-order.ts';
import { type CutConnection, CUTS, openCuttingService } from '../../kit/net/cutting-service.ts';
import { freePort } from '../../kit/net/free-port.ts';
import { chunk, jsonAnswer, openUpstream, STREAM_HEAD } from '../../kit/net/scripted-upstream.ts';

const CHAT = question('chat', { model: 'm' });
const ORDER = orderRequest(orderBody('https://files.example.com/cat.png'));
const TAKEN = jsonAnswer(200, { task_id: 'task-1', status: 'queued' });
const serviceKey = 'sk-any-key';

async function startCut() {
  const closing = new AsyncDisposableStack();
  const service = closing.use(await openCuttingService());
  const harness = closing.use(await startHarness({ baseUrl: service.url, serviceKey }));
  return { service, harness, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

type Cutting = Awaited<ReturnType<typeof startCut>>;

/** Requests the model list, so that its connection is idle. */
async function openIdle({ service, harness }: Cutting): Promise<CutConnection> {
  const asking = sendRequest(harness, { path: '/v1/models' });
  const connection = await service.nextConnection();
  await connection.until('\r\n\r\n');
  connection.send(jsonAnswer(200, { object: 'list', data: [{ id: 'h3', object: 'model' }] }));
  expect((await asking).status).toBe(200);
  return connection;
}

describe.each(CUTS)('An order of a video after the end of a connection by %s', (how) => {
  test('is placed once, on a new connection, when the old one was idle', async () => {
    await using both = await startCut();
    const idle = await openIdle(both);
    idle.cut(how);
    await idle.closed;
    const ordering = sendRequest(both.harness, ORDER);
    const next = await both.service.nextConnection();
    await next.until('"prompt"');
    next.send(TAKEN);
    expect((await ordering).status).toBe(200);
    expect(both.service.count('POST /v1/videos ')).toBe(1);
  });

  test.each([1, 30])(
    'is unsure and not repeated when %i bytes of it had arrived',
    async (bytes) => {
      await using both = await startCut();
      const idle = await openIdle(both);
      const ordering = sendRequest(both.harness, ORDER);
      await idle.take(bytes);
      idle.cut(how);
      const answer = await ordering;
      expect(answer.status).toBe(502);
      expect(answer.body).toContain('upstream_connection_lost');
      const again = await sendRequest(both.harness, ORDER);
      expect(again.status).toBe(409);
      expect(again.body).toContain('order_unsure');
      expect(both.service.connections).toHaveLength(1);
    },
  );

  test('is unsure when the answer to it breaks off', async () => {
    await using both = await startCut();
    const idle = await openIdle(both);
    const ordering = sendRequest(both.harness, ORDER);
    await idle.until('"prompt"');
    idle.socket.write(TAKEN.slice(0, -3), () => idle.cut(how));
    expect((await ordering).status).toBe(502);
    expect((await sendRequest(both.harness, ORDER)).body).toContain('order_unsure');
    expect(both.service.count('POST /v1/videos ')).toBe(1);
  });
});

describe('The spare connection of a gateway', () => {
  test('carries the model list, and then a first request whose model name needs it', async () => {
    await using both = await startCut();
    both.harness.gateway.prepare();
    const spare = await both.service.nextConnection();
    await spare.until('GET /v1/models ');
    await spare.until('\r\n\r\n');
    const listed = whenListed(both.harness);
    spare.send(jsonAnswer(200, { object: 'list', data: [{ id: 'acme/large', object: 'model' }] }));
    await listed;
    const asking = sendRequest(both.harness, question('chat', { model: 'large' }));
    await spare.until('"acme/large"');
    spare.send(jsonAnswer(200, { choices: [] }));
    expect((await asking).status).toBe(200);
    expect(both.service.count('GET /v1/models ')).toBe(1);
    expect(both.service.connections).toHaveLength(1);
  });

  test('carries the first request when there is a model list', async () => {
    await using both = await startCut();
    const { gateway } = both.harness;
    gateway.models.learn(Buffer.from('{"object":"list","data":[{"id":"m","object":"model"}]}'));
    gateway.prepare();
    const spare = await both.service.nextConnection();
    const asking = sendRequest(both.harness, CHAT);
    await spare.until('\r\n\r\n');
    spare.send(jsonAnswer(200, {}));
    expect((await asking).status).toBe(200);
    expect(both.service.count('GET /v1/models ')).toBe(0);
    expect(both.service.connections).toHaveLength(1);
  });

  test('carries nothing without a service key', async () => {
    await using service = await openCuttingService();
    await using harness = await startHarness({ baseUrl: service.url, serviceKey: null });
    harness.gateway.prepare();
    const spare = await service.nextConnection();
    for (let i = 0; i < 3; i += 1) await sendRequest(harness, { path: '/health' });
    expect(spare.received).toBe('');
    expect(harness.logged).toEqual([]);
  });

  test('is opened anew after waking, and for another service', async () => {
    await using both = await startCut();
    await using other = await openCuttingService();
    const { gateway, repositories } = both.harness;
    gateway.prepare();
    const first = await both.service.nextConnection();
    await gateway.wake();
    await first.closed;
    await both.service.nextConnection();
    const { id } = await repositories.upstreams.addAndActivate({ baseUrl: other.url });
    await gateway.useUpstream(id);
    expect((await other.nextConnection()).received).toBe('');
  });

  test('that cannot be opened changes no state and writes no warning', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}`;
    await using harness = await startHarness({ baseUrl, serviceKey });
    const before = await harness.gateway.status();
    harness.gateway.prepare();
    await sendRequest(harness, { path: '/health' });
    expect(await harness.gateway.status()).toMatchObject({ reach: before.reach });
    expect(harness.logged).toEqual([]);
  });

  test('is not opened to the sandbox', async () => {
    await using harness = await startHarness({ baseUrl: null });
    const opened: Socket[] = [];
    const watch = (message: unknown): void => {
      if (isSocketMessage(message)) opened.push(message.socket);
    };
    subscribe('net.client.socket', watch);
    harness.gateway.prepare();
    for (let i = 0; i < 3; i += 1) await sendRequest(harness, { path: '/health' });
    unsubscribe('net.client.socket', watch);
    expect(opened.map(({ remotePort }) => remotePort)).not.toContain(
      Number(new URL(harness.sandbox.url).port),
    );
    expect(opened).toHaveLength(3);
  });
});

function isSocketMessage(message: unknown): message is { readonly socket: Socket } {
  return typeof message === 'object' && message !== null && 'socket' in message;
}

/** Waits until the model list of a gateway has changed. */
function whenListed({ gateway }: Harness): Promise<void> {
  return new Promise((resolve) => {
    const stop = gateway.on((event) => {
      if (event.kind !== 'changed' || event.topic !== 'models') return;
      stop();
      resolve();
    });
  });
}

/** Waits until the status of a gateway has changed. */
function whenStatus({ gateway }: Harness): Promise<void> {
  return new Promise((resolve) => {
    const stop = gateway.onStatus(() => {
      stop();
      resolve();
    });
  });
}

test('a sleep that no shell reports is noticed: the next request uses a new connection, and a broken answer names the sleep', async () => {
  await using service = await openUpstream({ models: ['m'] });
  let sleptMs = 0;
  const uptime = () => performance.now() + sleptMs;
  const limits = { machineLookMs: 20 };
  const options = { baseUrl: service.url, serviceKey, uptime, limits };
  await using harness = await startHarness(options);
  const exchange = async () => {
    const asking = sendRequest(harness, CHAT);
    const { connection } = await service.next();
    connection.send(jsonAnswer(200, { choices: [] }));
    expect((await asking).status).toBe(200);
    return connection;
  };
  const client = await beginRequest(harness, question('chat', { stream: true, model: 'm' }));
  const running = (await service.next()).connection;
  running.send(STREAM_HEAD);
  running.send(chunk('data: {"n":1}\n\n'));
  await client.until('{"n":1}');
  const idle = await exchange();
  const noticed = whenStatus(harness);
  sleptMs = 3_600_000;
  await idle.closed;
  await noticed;
  expect(await exchange()).not.toBe(idle);
  running.socket.destroy();
  await client.rest();
  const records = await harness.recorded(3);
  expect(records.find(({ errorCode }) => errorCode !== null)?.errorMessage).toContain(
    'This computer slept during the request.',
  );
});
