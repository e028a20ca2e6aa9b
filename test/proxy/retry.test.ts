import { describe, expect, test } from 'vitest';
import { freePort } from '../net/free-port.ts';
import { startHarness } from '../kit/harness.ts';
import { sendRequest, beginRequest, question } from '../kit/request.ts';
import { startScriptedHarness } from '../kit/scripted-harness.ts';
import { jsonAnswer, openUpstream } from '../net/scripted-upstream.ts';
import type { RawConnection } from '../net/raw-connection.ts';

const CHAT = question('chat', { model: 'm' });
const VIDEO = {
  path: '/v1/videos',
  headers: ['Content-Type: application/json'],
  body: JSON.stringify({ model: 'm', task: 'ref2va', prompt: 'p', seconds: '4' }),
};
const THROTTLED = jsonAnswer(429, { error: { message: 'Slow down.', code: 'rate_limit' } });

function throttled(retryAfter: string): string {
  const body = { error: { message: 'Slow down.', code: 'rate_limit' } };
  return jsonAnswer(429, body, [`Retry-After: ${retryAfter}`]);
}

describe('A throttled request', () => {
  test('is asked again after Retry-After, and the client sees only the good answer', async () => {
    await using harness = await startHarness();
    const begun = performance.now();
    const headers = ['x-sandbox-scenario: rate-limit=1'];
    const answer = await sendRequest(harness, question('chat', { headers }));
    expect(answer.status).toBe(200);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(990);
    const [record] = await harness.recorded(1);
    expect(record).toMatchObject({ attempts: 2, status: 200, errorCode: null });
    const posts = harness.sandbox.requests.filter(({ method }) => method === 'POST');
    expect(posts).toHaveLength(2);
    expect(await posts[1]?.body).toEqual(await posts[0]?.body);
    expect(posts[1]?.rawHeaders).toEqual(posts[0]?.rawHeaders);
    expect(harness.sandbox.charges).toBe(1);
  });

  test('is asked at most three times in all, then its answer is passed on', async () => {
    await using both = await startScriptedHarness();
    const client = await beginRequest(both.harness, CHAT);
    for (let i = 0; i < 3; i += 1) (await both.upstream.next()).wire.send(throttled('0'));
    const answer = await client.rest();
    expect(answer).toMatch(/^HTTP\/1\.1 429 [^]*Retry-After: 0[^]*Slow down\./);
    const [record] = await both.harness.recorded(1);
    expect(record).toMatchObject({ attempts: 3, status: 429, errorCode: 'rate_limit' });
    expect(both.upstream.arrivals).toHaveLength(3);
  });

  test.each(['21', '3600', new Date(Date.now() + 3_600_000).toUTCString()])(
    'with Retry-After: %s is not held back: the client may wait by itself',
    async (after) => {
      await using both = await startScriptedHarness();
      const client = await beginRequest(both.harness, CHAT);
      (await both.upstream.next()).wire.send(throttled(after));
      expect(await client.rest()).toContain(`Retry-After: ${after}`);
      const [record] = await both.harness.recorded(1);
      expect(record).toMatchObject({ attempts: 1, status: 429 });
    },
  );

  test('whose client leaves while we wait is not asked again', async () => {
    await using both = await startScriptedHarness();
    const client = await beginRequest(both.harness, CHAT);
    (await both.upstream.next()).wire.send(throttled('15'));
    await sendRequest(both.harness, { path: '/health' });
    client.socket.destroy();
    const [record] = await both.harness.recorded(1);
    expect(record).toMatchObject({ attempts: 1, endedBy: 'client', status: null });
    expect(both.upstream.arrivals).toHaveLength(1);
  });

  test('that is an upload is never repeated, for its body is not kept', async () => {
    await using both = await startScriptedHarness();
    const client = await beginRequest(both.harness, {
      path: '/v1/files',
      headers: ['Content-Type: multipart/form-data; boundary=x'],
      body: '--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nabc\r\n--x--\r\n',
    });
    const { wire } = await both.upstream.next();
    wire.send(throttled('0'));
    expect(await client.rest()).toMatch(/^HTTP\/1\.1 429 /);
    const [record] = await both.harness.recorded(1);
    expect(record).toMatchObject({ attempts: 1, status: 429 });
    expect(both.upstream.arrivals).toHaveLength(1);
  });
});

describe('A service that is not there', () => {
  test('is tried again, and when it has come up the request succeeds', async () => {
    const port = await freePort();
    await using harness = await startHarness({ baseUrl: `http://127.0.0.1:${port}` });
    const client = await beginRequest(harness, { method: 'DELETE', path: '/v1/files/f1' });
    await sendRequest(harness, { path: '/health' });
    await using upstream = await openUpstream({ port });
    (await upstream.next()).wire.send(jsonAnswer(200, { deleted: true }));
    expect(await client.rest()).toMatch(/^HTTP\/1\.1 200 /);
    const [record] = await harness.recorded(1);
    expect(record?.attempts).toBeGreaterThan(1);
  });

  test('is given up after three attempts', async () => {
    await using harness = await startHarness({ baseUrl: `http://127.0.0.1:${await freePort()}` });
    const answer = await sendRequest(harness, { path: '/v1/files/f1' });
    expect(answer.status).toBe(502);
    expect(answer.body).toContain('upstream_unreachable');
    const [record] = await harness.recorded(1);
    expect(record).toMatchObject({ attempts: 3, endedBy: 'service' });
  });

  test('is tried again for a video, too, of which nothing was sent', async () => {
    await using harness = await startHarness({ baseUrl: `http://127.0.0.1:${await freePort()}` });
    const answer = await sendRequest(harness, VIDEO);
    expect(answer.status).toBe(502);
    const [record] = await harness.recorded(1);
    expect(record).toMatchObject({ attempts: 3, errorCode: 'upstream_unreachable' });
  });
});

describe('A request that may have arrived is never repeated', () => {
  test.each(['chat', 'responses', 'messages'] as const)(
    '%s: the answer is lost after the work is done, and charged once',
    async (protocol) => {
      await using harness = await startHarness();
      const headers = ['x-sandbox-scenario: lost-answer'];
      const answer = await sendRequest(harness, question(protocol, { headers }));
      expect(answer.status).toBe(502);
      expect(answer.body).toContain('upstream_connection_lost');
      expect(harness.sandbox.charges).toBe(1);
      const [record] = await harness.recorded(1);
      expect(record).toMatchObject({ attempts: 1, endedBy: 'service' });
    },
  );

  test('nor one on a connection that was in use before', async () => {
    await using both = await startScriptedHarness();
    const used = new Set<RawConnection>();
    // The list of models has come on a connection, too: two requests know both.
    for (let n = 0; n < 2; n += 1) {
      const client = await beginRequest(both.harness, CHAT);
      const { wire } = await both.upstream.next();
      used.add(wire);
      wire.send(jsonAnswer(200, {}));
      await client.rest();
    }
    const last = await beginRequest(both.harness, CHAT);
    const again = await both.upstream.next();
    expect(used.has(again.wire)).toBe(true);
    again.wire.socket.destroy();
    expect(await last.rest()).toContain('upstream_connection_lost');
    expect(both.upstream.arrivals).toHaveLength(3);
  });

  test.each([500, 502, 503, 504])('nor one that was answered with %i', async (status) => {
    await using both = await startScriptedHarness();
    const client = await beginRequest(both.harness, CHAT);
    const body = { error: { message: 'Broken.', code: 'server_error' } };
    (await both.upstream.next()).wire.send(jsonAnswer(status, body, ['Retry-After: 0']));
    expect(await client.rest()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*Broken\\.`));
    expect(both.upstream.arrivals).toHaveLength(1);
  });
});

test('strict mode repairs nothing, but waits for a throttled service all the same', async () => {
  await using both = await startScriptedHarness({ strict: true });
  const client = await beginRequest(both.harness, CHAT);
  (await both.upstream.next()).wire.send(THROTTLED);
  (await both.upstream.next()).wire.send(jsonAnswer(200, {}));
  expect(await client.rest()).toMatch(/^HTTP\/1\.1 200 /);
});
