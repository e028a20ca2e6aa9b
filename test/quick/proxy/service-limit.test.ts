import { type ServerResponse } from 'node:http';
import { Pool } from 'undici';
import { describe, expect, test } from 'vitest';
import { pausedProblem } from '../../../gateway/service-limit/limit-problems.ts';
import { ServiceLimit } from '../../../gateway/service-limit/service-limit.ts';
import { upstreamFormFor } from '../../kit/gateway/upstream-form.ts';
import { freePort } from '../../kit/net/free-port.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { sendRequest, beginRequest, question } from '../../kit/gateway/request.ts';
import {
  chunk,
  jsonAnswer,
  LAST_CHUNK,
  openUpstream,
  STREAM_HEAD,
} from '../../kit/net/scripted-upstream.ts';
import type { RawConnection } from '../../kit/net/raw-connection.ts';
import { createFakeKeychain } from '../../kit/gateway/fake-keychain.ts';
import { order as orderVideo, startQuickHarness, whenState } from '../../kit/videos/queue.ts';
import { expectGatewayError } from '../../kit/gateway/expect-gateway-error.ts';
import { openService, send429, send200, readLoad } from '../../kit/gateway/limited-service.ts';

const CHAT = question('chat', { model: 'm' });

const VIDEO = {
  path: '/v1/videos',
  headers: ['Content-Type: application/json'],
  body: JSON.stringify({ model: 'm', task: 'ref2va', prompt: 'p', seconds: '4' }),
};

const UPLOAD = { path: '/v1/files', headers: ['Content-Type: text/plain'], body: 'a cat' };

/** Creates a request with this user agent. */
function requestOf(client: string) {
  return { ...CHAT, headers: [...(CHAT.headers ?? []), `x-who: ${client}`] };
}

/** Resolves when the load of the service has these values. */
async function waitForLoad(
  harness: Harness,
  condition: (now: Awaited<ReturnType<typeof readLoad>>) => boolean,
): Promise<void> {
  for (;;) {
    const { promise: changed, resolve } = Promise.withResolvers<void>();
    const stop = harness.gateway.on(() => resolve());
    if (!condition(await readLoad(harness))) await changed;
    stop();
    if (condition(await readLoad(harness))) return;
  }
}

/** Starts a harness whose service has just answered 429 with a Retry-After of 20 s, so that requests wait. */
async function startPausedHarness() {
  const closing = new AsyncDisposableStack();
  const service = closing.use(await openService((response) => send429(response, '20')));
  const harness = closing.use(await startHarness({ baseUrl: service.url }));
  expect((await sendRequest(harness, CHAT)).status).toBe(429);
  expect(service.calls()).toBe(1);
  return { service, harness, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

async function sendQueuedRequest(harness: Harness): Promise<RawConnection> {
  const { waiting } = await readLoad(harness);
  const client = await beginRequest(harness, CHAT);
  await waitForLoad(harness, (now) => now.waiting > waiting);
  return client;
}

describe('A service that answers 429', () => {
  test('with Retry-After gets no call of any client before this time', async () => {
    const times: number[] = [];
    await using service = await openService((response, call) => {
      times.push(performance.now());
      if (call === 1) send429(response, '2');
      else send200(response);
    });
    await using harness = await startHarness({ baseUrl: service.url });
    const other = {
      port: harness.port,
      localKey: (await harness.repositories.clients.add('Other')).key,
    };
    const first = sendRequest(harness, CHAT);
    await waitForLoad(harness, ({ heldMs }) => heldMs > 0);
    const [one, two] = await Promise.all([first, sendRequest(other, CHAT)]);
    expect([one.status, two.status]).toEqual([200, 200]);
    expect(times).toHaveLength(3);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1_990);
  });

  test('with a date as Retry-After is interpreted by its own clock', async () => {
    const yesterday = Date.now() - 86_400_000;
    await using service = await openService((response) => {
      response.sendDate = false;
      response.setHeader('date', new Date(yesterday).toUTCString());
      send429(response, new Date(yesterday + 90_000).toUTCString());
    });
    await using harness = await startHarness({ baseUrl: service.url });
    expect((await sendRequest(harness, CHAT)).status).toBe(429);
    const { heldMs } = await readLoad(harness);
    expect(heldMs).toBeGreaterThan(60_000);
    expect(heldMs).toBeLessThanOrEqual(90_000);
  });

  test('with a longer pause than requests wait: others are refused immediately with the remaining time', async () => {
    await using service = await openService((response) => send429(response, '3600'));
    await using harness = await startHarness({ baseUrl: service.url });
    expect((await sendRequest(harness, CHAT)).headers.get('retry-after')).toBe('3600');
    const answer = await sendRequest(harness, question('messages', { model: 'm' }));
    const record = await expectGatewayError(harness, answer, {
      code: 'service_limit_reached',
      shape: 'messages',
    });
    expect(record.attempts).toBe(0);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(590);
    expect(service.calls()).toBe(1);
  });

  test('to a flood of one client serves another client after at most one more call of the flood', async () => {
    const order: string[] = [];
    const pending: ServerResponse[] = [];
    let isReleased = false;
    await using service = await openService((response, call) => {
      order.push(response.req.headers['x-who']?.toString() ?? 'upload');
      if (call === 1) send429(response, '1');
      else if (isReleased) send200(response);
      else pending.push(response);
    });
    await using harness = await startHarness({ baseUrl: service.url });
    const other = {
      port: harness.port,
      localKey: (await harness.repositories.clients.add('Other')).key,
    };
    expect((await sendRequest(harness, UPLOAD)).status).toBe(429);
    const flooding = Array.from({ length: 50 }, () => sendRequest(harness, requestOf('flood')));
    await waitForLoad(harness, ({ waiting, inFlight }) => waiting + inFlight === 50);
    const asking = sendRequest(other, requestOf('single'));
    await waitForLoad(harness, ({ waiting, inFlight }) => waiting + inFlight === 51);
    isReleased = true;
    for (const response of pending) send200(response);
    expect((await asking).status).toBe(200);
    await Promise.all(flooding);
    // The upload, one that may have been sent before, one that may have been next.
    expect(order.indexOf('single')).toBeLessThanOrEqual(3);
    expect(order).toHaveLength(52);
  });
});

describe('A queued request', () => {
  test('whose client disconnects is removed immediately and never sent', async () => {
    await using both = await startPausedHarness();
    const client = await sendQueuedRequest(both.harness);
    client.socket.destroy();
    await waitForLoad(both.harness, ({ waiting }) => waiting === 0);
    const [record] = await both.harness.recorded(2);
    expect(record).toMatchObject({ attempts: 0, endedBy: 'client', status: null });
    expect(both.service.calls()).toBe(1);
  });

  test('fails when the service is paused', async () => {
    await using both = await startPausedHarness();
    const client = await sendQueuedRequest(both.harness);
    both.harness.gateway.pause();
    expect(await client.rest()).toMatch(/^HTTP\/1\.1 503 [^]*"code":"paused"/);
    expect((await readLoad(both.harness)).waiting).toBe(0);
    expect(both.service.calls()).toBe(1);
  });

  test('fails when Gatehouse shuts down', async () => {
    await using both = await startPausedHarness();
    const client = await sendQueuedRequest(both.harness);
    const closed = both.harness.gateway.close(60_000);
    expect(await client.rest()).toMatch(/^HTTP\/1\.1 503 [^]*"code":"shutting_down"/);
    await closed;
    expect(both.service.calls()).toBe(1);
  });

  test('fails when another service is selected, and is sent there when it is repeated', async () => {
    await using second = await openService(send200);
    await using first = await openService((response) => send429(response, '20'));
    const secrets = createFakeKeychain({ [second.url]: 'sk-the-key-of-the-second' });
    await using harness = await startHarness({ baseUrl: first.url, secrets });
    const { id } = await harness.gateway.addUpstream(upstreamFormFor(second.url));
    expect((await sendRequest(harness, CHAT)).status).toBe(429);
    const client = await sendQueuedRequest(harness);
    await harness.gateway.useUpstream(id);
    expect(await client.rest()).toMatch(
      /^HTTP\/1\.1 503 [^]*retry-after: 1\r[^]*"service_changed"/,
    );
    expect((await sendRequest(harness, CHAT)).status).toBe(200);
    expect(first.calls()).toBe(1);
    expect(second.calls()).toBe(1);
  });

  test('fails when the service key changes, and is sent with the new one when it is repeated', async () => {
    const keys: unknown[] = [];
    await using service = await openService((response, call) => {
      keys.push(response.req.headers.authorization);
      if (call === 1) send429(response, '20');
      else send200(response);
    });
    const secrets = createFakeKeychain({ [service.url]: 'sk-the-first-key' });
    await using harness = await startHarness({ baseUrl: null, secrets });
    const { id } = await harness.gateway.addUpstream(upstreamFormFor(service.url));
    await harness.gateway.useUpstream(id);
    expect((await sendRequest(harness, CHAT)).status).toBe(429);
    const client = await sendQueuedRequest(harness);
    await harness.gateway.saveKey(id, 'sk-the-second-key', 'keychain');
    expect(await client.rest()).toMatch(/^HTTP\/1\.1 503 [^]*"service_changed"/);
    // Another key may have other limits.
    expect(await readLoad(harness)).toMatchObject({ waiting: 0, limit: null, heldMs: 0 });
    expect((await sendRequest(harness, CHAT)).status).toBe(200);
    expect(keys).toEqual(['Bearer sk-the-first-key', 'Bearer sk-the-second-key']);
  });

  test('for a video is not sent when its client disconnects, and can be repeated', async () => {
    await using both = await startPausedHarness();
    const client = await beginRequest(both.harness, VIDEO);
    await waitForLoad(both.harness, ({ waiting }) => waiting === 1);
    client.socket.destroy();
    await waitForLoad(both.harness, ({ waiting }) => waiting === 0);
    await both.harness.recorded(2);
    const again = await beginRequest(both.harness, VIDEO);
    await waitForLoad(both.harness, ({ waiting }) => waiting === 1);
    again.socket.destroy();
    expect(both.service.calls()).toBe(1);
  });
});

describe('The video queue', () => {
  test('waits like the clients, orders nothing during a pause, and waits again after it', async () => {
    await using service = await openUpstream({ models: ['m', 'h3'] });
    await using harness = await startQuickHarness({
      baseUrl: service.url,
      serviceKey: 'sk-any-key',
    });
    const first = await beginRequest(harness, CHAT);
    const error = { error: { message: 'Slow down.', code: 'rate_limit' } };
    (await service.next()).connection.send(jsonAnswer(429, error, ['Retry-After: 25']));
    expect(await first.rest()).toContain('HTTP/1.1 429');
    const { id } = await orderVideo(harness, 'A fox.', { image: null });
    await waitForLoad(harness, ({ waiting }) => waiting === 1);
    expect((await harness.repositories.videos.get(id)).job.state).toBe('submitting');
    harness.gateway.pause();
    await whenState(harness.repositories, id, 'waiting');
    expect(await readLoad(harness)).toMatchObject({ waiting: 0 });
    harness.gateway.resume();
    await waitForLoad(harness, ({ waiting }) => waiting === 1);
    expect(service.arrivals).toHaveLength(1);
    await harness.gateway.close(0);
    expect(service.arrivals).toHaveLength(1);
  });
});

test('the end of a call is reported once, also when its handler throws', async () => {
  await using service = await openService(send200);
  const limit = new ServiceLimit({
    origin: service.url,
    waitMs: 1_000,
    now: () => 0,
    pause: { paused: false, problem: () => pausedProblem('') },
    onChange: () => undefined,
  });
  await using closing = new AsyncDisposableStack();
  const pool = closing.adopt(new Pool(service.url), (open) => open.destroy());
  const ended = Promise.withResolvers<Error>();
  limit.wrap(pool).dispatch(
    { path: '/v1/chat/completions', method: 'POST' },
    {
      onResponseEnd: () => {
        throw new Error('The one who asked failed.');
      },
      onResponseError: (_controller, error) => ended.resolve(error),
    },
  );
  expect((await ended.promise).message).toBe('The one who asked failed.');
  expect(limit.load()).toMatchObject({ calls: 1, inFlight: 0 });
});

/** Starts a harness whose service has failed so often that its circuit is open. */
async function startWithOpenCircuit() {
  const port = await freePort();
  const closing = new AsyncDisposableStack();
  const harness = closing.use(await startHarness({ baseUrl: `http://127.0.0.1:${port}` }));
  while ((await readLoad(harness)).circuit === 'closed') {
    expect((await sendRequest(harness, UPLOAD)).status).toBe(502);
  }
  return { port, harness, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

describe('A service that cannot be reached', () => {
  test('gets no more calls: requests are refused immediately with the reason', async () => {
    await using broken = await startWithOpenCircuit();
    const answer = await sendRequest(broken.harness, question('messages', { model: 'm' }));
    const record = await expectGatewayError(broken.harness, answer, {
      code: 'service_unavailable',
      shape: 'messages',
    });
    expect(record.attempts).toBe(0);
    expect(answer.body).toContain('Nothing is listening at this address.');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(answer.headers.get('x-should-retry')).toBeUndefined();
  });

  test('is probed by one request at a time, and is used again after a success', async () => {
    await using broken = await startWithOpenCircuit();
    let calls = 0;
    await using service = await openService((response, call) => {
      calls = call;
      send200(response);
    }, broken.port);
    expect(service.port).toBe(broken.port);
    let answer = await sendRequest(broken.harness, CHAT);
    while (answer.status === 503) answer = await sendRequest(broken.harness, CHAT);
    expect(answer.status).toBe(200);
    expect(calls).toBe(1);
    expect(await readLoad(broken.harness)).toMatchObject({ circuit: 'closed', retryMs: 0 });
  });

  test('is probed immediately after the computer slept', async () => {
    await using broken = await startWithOpenCircuit();
    await using service = await openService(send200, broken.port);
    await broken.harness.gateway.wake();
    expect((await sendRequest(broken.harness, CHAT)).status).toBe(200);
    expect(service.calls()).toBe(1);
  });

  test('is used again immediately after a successful check by the user', async () => {
    await using broken = await startWithOpenCircuit();
    await using service = await openService(send200, broken.port);
    const { upstream } = await broken.harness.gateway.status();
    const signal = new AbortController().signal;
    const verdict = await broken.harness.gateway.testUpstream(upstream, null, signal);
    expect(verdict.works).toBe(true);
    expect((await sendRequest(broken.harness, CHAT)).status).toBe(200);
    expect(service.calls()).toBe(1);
  });

  test('gets no video order, and the same order is sent when it is available again', async () => {
    await using broken = await startWithOpenCircuit();
    const refused = await sendRequest(broken.harness, VIDEO);
    expect(refused.status).toBe(503);
    expect(refused.body).toContain('service_unavailable');
    let orders = 0;
    await using service = await openService((response) => {
      if (response.req.method === 'POST') orders += 1;
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"task-1"}');
    }, broken.port);
    expect(service.port).toBe(broken.port);
    await broken.harness.gateway.wake();
    expect((await sendRequest(broken.harness, VIDEO)).status).toBe(200);
    expect(orders).toBe(1);
  });
});

test('a stream counts against the limit until it ends', async () => {
  await using upstream = await openUpstream({ models: ['m'] });
  await using harness = await startHarness({ baseUrl: upstream.url });
  const client = await beginRequest(harness, question('chat', { stream: true, model: 'm' }));
  const { connection } = await upstream.next();
  connection.send('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: 1\n\n');
  await client.until('data: 1');
  expect(await readLoad(harness)).toMatchObject({ inFlight: 1, waiting: 0 });
  connection.socket.destroy();
  await client.rest();
  expect(await readLoad(harness)).toMatchObject({ inFlight: 0 });
});

test('long streams do not block other requests after a 429', async () => {
  await using upstream = await openUpstream({ models: ['m'] });
  await using harness = await startHarness({ baseUrl: upstream.url });
  const streams = [];
  for (let n = 0; n < 4; n += 1) {
    const client = await beginRequest(harness, question('chat', { stream: true, model: 'm' }));
    const { connection } = await upstream.next();
    connection.send(STREAM_HEAD);
    connection.send(chunk('data: 1\n\n'));
    await client.until('data: 1');
    streams.push({ client, connection });
  }
  const client = await beginRequest(harness, CHAT);
  (await upstream.next()).connection.send(jsonAnswer(429, { error: { message: 'Slow down.' } }));
  // Repeats the request while all streams continue.
  (await upstream.next()).connection.send(jsonAnswer(200, { choices: [] }));
  expect(await client.rest()).toContain('HTTP/1.1 200');
  expect(await readLoad(harness)).toMatchObject({ inFlight: 4, waiting: 0, limit: 2 });
  for (const { connection, client: reader } of streams) {
    connection.send(chunk('data: [DONE]\n\n'));
    connection.send(LAST_CHUNK);
    expect(await reader.rest()).toContain('[DONE]');
  }
});
