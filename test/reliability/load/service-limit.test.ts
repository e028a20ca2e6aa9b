import { type ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../kit/net/free-port.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import { sendRequest, question } from '../../kit/gateway/request.ts';
import { openService, send429, send200, readLoad } from '../../kit/gateway/limited-service.ts';

const CHAT = question('chat', { model: 'm' });

describe('A service that answers 429', () => {
  test('to 500 running requests gets few more than 500 calls', async () => {
    const { promise: all, resolve } = Promise.withResolvers<void>();
    const pending: ServerResponse[] = [];
    await using service = await openService((response, call) => {
      if (call > 500) return send429(response);
      if (pending.push(response) === 500) resolve();
    });
    await using harness = await startHarness({ baseUrl: service.url, limits: { queueMs: 3_000 } });
    const asking = Promise.all(Array.from({ length: 500 }, () => sendRequest(harness, CHAT)));
    await all;
    // There was no limit before the first 429.
    expect(await readLoad(harness)).toMatchObject({ inFlight: 500, waiting: 0, limit: null });
    for (const response of pending) send429(response);
    const statuses = (await asking).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([429]));
    expect(service.calls()).toBeLessThanOrEqual(510);
    const { inFlight, waiting, calls } = await readLoad(harness);
    expect({ inFlight, waiting }).toEqual({ inFlight: 0, waiting: 0 });
    expect(calls).toBeLessThanOrEqual(512);
  });
});

describe('A service that answers 429', () => {
  test('to each call gets far fewer calls than there are requests, and every client gets the reason', async () => {
    await using service = await openService((response) => send429(response));
    await using harness = await startHarness({ baseUrl: service.url, limits: { queueMs: 1_000 } });
    const answers = await Promise.all(
      Array.from({ length: 500 }, () => sendRequest(harness, CHAT)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]));
    expect(service.calls()).toBeLessThanOrEqual(500);
    const ours = answers.find(({ body }) => body.includes('service_limit_reached'));
    expect(ours?.body).toContain('The service answered 429');
    expect(Number(ours?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(ours?.headers.get('x-should-retry')).toBeUndefined();
  });
});

describe('A service that answers 429', () => {
  test('once delays the other requests, and all of them get their answers', async () => {
    let most = 0;
    let now = 0;
    await using service = await openService((response, call) => {
      if (call === 1) return send429(response);
      now += 1;
      most = Math.max(most, now);
      setImmediate(() => {
        now -= 1;
        send200(response);
      });
    });
    await using harness = await startHarness({ baseUrl: service.url });
    expect((await sendRequest(harness, CHAT)).status).toBe(200);
    expect((await readLoad(harness)).limit).toBe(1);
    most = 0;
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => sendRequest(harness, CHAT)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(service.calls()).toBe(202);
    // The limit grows by one every two seconds, and this took less than 20.
    expect(most).toBeLessThan(10);
  });
});

describe('A service that cannot be reached', () => {
  test('gets each of 500 parallel requests once, not three times', async () => {
    await using harness = await startHarness({ baseUrl: `http://127.0.0.1:${await freePort()}` });
    const answers = await Promise.all(
      Array.from({ length: 500 }, () => sendRequest(harness, CHAT)),
    );
    for (const { status } of answers) expect([502, 503]).toContain(status);
    const { calls } = await readLoad(harness);
    // The request for the model list is a call too.
    expect(calls).toBeLessThanOrEqual(510);
  });
});
