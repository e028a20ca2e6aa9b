import { describe, expect, test } from 'vitest';
import { createControlHandler } from '../../../gateway/api/api.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { type RawRequest, sendRequest } from '../../kit/gateway/request.ts';
import { sendRaw } from '../../kit/net/raw-http.ts';

/** A gateway whose control channel is open; web pages of one origin may use it as clients. */
async function startControlled(): Promise<Harness> {
  const harness = await startHarness({ allowedOrigins: [ALLOWED] });
  const { gateway, repositories } = harness;
  const { store, host } = repositories;
  gateway.serveControl(createControlHandler({ gateway, store, host, windowPort: null }));
  return harness;
}

const ALLOWED = 'https://app.example.com';
const JSON_TYPE = 'Content-Type: application/json';

/** Sends a call with a token. */
async function call(harness: Harness, token: string, request: RawRequest = {}) {
  const target = { port: harness.port, localKey: token };
  const pause = { path: '/control/status/pause', method: 'POST', headers: [JSON_TYPE], body: '{}' };
  return await sendRequest(target, { ...pause, ...request });
}

async function isPaused({ gateway }: Harness): Promise<boolean> {
  return (await gateway.status()).paused;
}

test('the holder of the control key calls what the window calls, and nothing of it is recorded', async () => {
  await using harness = await startControlled();
  const { controlKey } = harness.gateway;
  expect((await call(harness, controlKey)).status).toBe(200);
  expect(await isPaused(harness)).toBe(true);
  const status = await call(harness, controlKey, { path: '/control/status/get' });
  expect(JSON.parse(status.body)).toMatchObject({ json: { paused: true, port: harness.port } });
  expect((await call(harness, controlKey, { path: '/control/status/resume' })).status).toBe(200);
  expect(await isPaused(harness)).toBe(false);
  expect((await call(harness, controlKey, { path: '/control/no/such' })).status).toBe(404);
  expect(await harness.records()).toEqual([]);
});

describe('a caller is refused', () => {
  test('without the control key: none, a local key, the reporting key, one of another start', async () => {
    await using harness = await startControlled();
    await using other = await startControlled();
    const { reportKey, controlKey } = harness.gateway;
    for (const token of ['', 'x', reportKey, other.gateway.controlKey, `${controlKey}x`]) {
      expect((await call(harness, token)).status).toBe(401);
    }
    // A local key is valid for an unknown path.
    expect((await call(harness, harness.localKey)).status).toBe(404);
    expect(await isPaused(harness)).toBe(false);
  });

  test('as a web page, of an allowed origin too, with the right key', async () => {
    await using harness = await startControlled();
    const { controlKey } = harness.gateway;
    for (const origin of ['https://evil.example', 'null', `http://127.0.0.1:${harness.port}`]) {
      const headers = [JSON_TYPE, `Origin: ${origin}`];
      expect((await call(harness, controlKey, { headers })).status).toBe(403);
    }
    for (const header of [`Origin: ${ALLOWED}`, 'Sec-Fetch-Site: same-origin']) {
      expect((await call(harness, controlKey, { headers: [JSON_TYPE, header] })).status).toBe(401);
    }
    expect(await isPaused(harness)).toBe(false);
  });

  test('with the key in another place, with another method, and for another host', async () => {
    await using harness = await startControlled();
    const { port, gateway } = harness;
    const { controlKey } = gateway;
    const path = `/control/status/pause?key=${controlKey}`;
    expect((await call(harness, '', { path })).status).toBe(401);
    const headers = [JSON_TYPE, `x-api-key: ${controlKey}`];
    expect((await call(harness, '', { headers })).status).toBe(401);
    for (const method of ['GET', 'PUT']) {
      expect((await call(harness, controlKey, { method })).status).toBe(401);
    }
    const foreign = `POST /control/status/pause HTTP/1.1\r\nHost: evil.example:${port}\r\nAuthorization: Bearer ${controlKey}\r\n${JSON_TYPE}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`;
    expect((await sendRaw(port, Buffer.from(foreign))).status).toBe(421);
    expect(await isPaused(harness)).toBe(false);
  });

  test('with a body that is too large, is no JSON or has another type', async () => {
    await using harness = await startControlled();
    const { controlKey } = harness.gateway;
    const body = JSON.stringify({ json: 'x'.repeat(1024 * 1024) });
    expect((await call(harness, controlKey, { body })).status).toBe(413);
    expect((await call(harness, controlKey, { body: '{' })).status).toBe(400);
    const headers = ['Content-Type: text/plain'];
    expect((await call(harness, controlKey, { headers })).status).toBe(415);
    expect(await isPaused(harness)).toBe(false);
  });

  test('at a gateway that serves no commands', async () => {
    await using harness = await startHarness();
    expect((await call(harness, harness.gateway.controlKey)).status).toBe(401);
  });
});

test('the control key is neither a local key nor the reporting key', async () => {
  await using harness = await startControlled();
  const target = { port: harness.port, localKey: harness.gateway.controlKey };
  expect((await sendRequest(target, { path: '/v1/models' })).status).toBe(401);
  expect((await sendRequest(target, { path: '/status' })).status).toBe(401);
  expect((await sendRequest(target, { path: '/metrics' })).status).toBe(401);
});
