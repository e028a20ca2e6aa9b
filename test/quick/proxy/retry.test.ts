import { describe, expect, test } from 'vitest';
import { freePort } from '../../kit/net/free-port.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import { sendRequest, beginRequest, question } from '../../kit/gateway/request.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';
import { jsonAnswer, openUpstream } from '../../kit/net/scripted-upstream.ts';
import type { RawConnection } from '../../kit/net/raw-connection.ts';

const CHAT = question('chat', { model: 'm' });
const VIDEO = {
  path: '/v1/videos',
  headers: ['Content-Type: application/json'],
  body: JSON.stringify({ model: 'm', task: 'ref2va', prompt: 'p', seconds: '4' }),
};
const THROTTLED = jsonAnswer(429, { error: { message: 'Slow down.', code: 'rate_limit' } });

function answer429(retryAfter: string): string {
  const body = { error: { message: 'Slow down.', code: 'rate_limit' } };
  return jsonAnswer(429, body, [`Retry-After: ${retryAfter}`]);
}

describe('A throttled request', () => {
  test('is retried after Retry-After, and the client sees only the successful answer', async () => {
    await using harness = await startHarness();
    const startedAt = performance.now();
    const headers = ['x-sandbox-scenario: rate-limit=1'];
    const answer = await sendRequest(harness, question('chat', { headers }));
    expect(answer.status).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(990);
    const [record] = await harness.recorded(1);
    expect(record).toMatchObject({ attempts: 2, status: 200, errorCode: null });
    const posts = harness.sandbox.requests.filter(({ method }) => method === 'POST');
    expect(posts).toHaveLength(2);
    expect(await posts[1]?.body).toEqual(await posts[0]?.body);
    expect(posts[1]?.rawHeaders).toEqual(posts[0]?.rawHeaders);
    expect(harness.sandbox.charges).toBe(1);
  });

  test('is sent at most three times, then its answer is passed on', async () => {
    await using both = await startScriptedHarness();
    const client = await beginRequest(both.harness, CHAT);
    for (let i = 0; i < 3; i += 1) (await both.upstream.next()).connection.send(answer429('0'));
    const answer = await client.rest();
    expect(answer).toMatch(/^HTTP\/1\.1 429 [^]*Retry-After: 0[^]*Slow down\./);
    const [record] = await both.harness.recorded(1);
    expect(record).toMatchObject({ attempts: 3, status: 429, errorCode: 'rate_limit' });
    expect(both.upstream.arrivals).toHaveLength(3);
  });

  test.each(['21', '3600', new Date(Date.now() + 3_600_000).toUTCString()])(
    'with Retry-After: %s is not delayed: the client may wait itself',
    async (after) => {
      await using both = await startScriptedHarness();
      const client = await beginRequest(both.harness, CHAT);
      (await both.upstream.next()).connection.send(answer429(after));
      expect(await client.rest()).toContain(`Retry-After: ${after}`);
      const [record] = await both.harness.recorded(1);
      expect(record).toMatchObject({ attempts: 1, status: 429 });
    },
  );

  test('is not retried when its client disconnects during the wait', async () => {
    await using both = await startScriptedHarness();
    const client = await beginRequest(both.harness, CHAT);
    (await both.upstream.next()).connection.send(answer429('15'));
    await sendRequest(both.harness, { path: '/health' });
    client.socket.destroy();
    const [record] = await both.harness.recorded(1);
    expect(record).toMatchObject({ attempts: 1, endedBy: 'client', status: null });
    expect(both.upstream.arrivals).toHaveLength(1);
  });

  test('that is an upload is never retried, because its body is not stored', async () => {
    await using both = await startScriptedHarness();
    const client = await beginRequest(both.harness, {
      path: '/v1/files',
      headers: ['Content-Type: multipart/form-data; boundary=x'],
      body: '--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nabc\r\n--x--\r\n',
    });
    const { connection } = await both.upstream.next();
    connection.send(answer429('0'));
    expect(await client.rest()).toMatch(/^HTTP\/1\.1 429 /);
    const [record] = await both.harness.recorded(1);
    expect(record).toMatchObject({ attempts: 1, status: 429 });
    expect(both.upstream.arrivals).toHaveLength(1);
  });
});

describe('A service that is not running', () => {
  test('is retried, and the request succeeds after it has started', async () => {
    const port = await freePort();
    await using harness = await startHarness({ baseUrl: `http://127.0.0.1:${port}` });
    const client = await beginRequest(harness, { method: 'DELETE', path: '/v1/files/f1' });
    await sendRequest(harness, { path: '/health' });
    await using upstream = await openUpstream({ port });
    (await upstream.next()).connection.send(jsonAnswer(200, { deleted: true }));
    expect(await client.rest()).toMatch(/^HTTP\/1\.1 200 /);
    const [record] = await harness.recorded(1);
    expect(record?.attempts).toBeGreaterThan(1);
  });

  test('fails after three attempts', async () => {
    await using harness = await startHarness({ baseUrl: `http://127.0.0.1:${await freePort()}` });
    const answer = await sendRequest(harness, { path: '/v1/files/f1' });
    expect(answer.status).toBe(502);
    expect(answer.body).toContain('upstream_unreachable');
    const [record] = await harness.recorded(1);
    expect(record).toMatchObject({ attempts: 3, endedBy: 'service' });
  });

  test('is also retried for a video order of which nothing was sent', async () => {
    await using harness = await startHarness({ baseUrl: `http://127.0.0.1:${await freePort()}` });
    const answer = await sendRequest(harness, VIDEO);
    expect(answer.status).toBe(502);
    const [record] = await harness.recorded(1);
    expect(record).toMatchObject({ attempts: 3, errorCode: 'upstream_unreachable' });
  });
});

describe('A request that may have arrived is never retried', () => {
  test.each(['chat', 'responses', 'messages'] as const)(
    '%s: an answer that is lost after the work was done is charged once',
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

  test('on a connection that was used before', async () => {
    await using both = await startScriptedHarness();
    const used = new Set<RawConnection>();
    // The model list was also fetched on a connection: two requests use both.
    for (let n = 0; n < 2; n += 1) {
      const client = await beginRequest(both.harness, CHAT);
      const { connection } = await both.upstream.next();
      used.add(connection);
      connection.send(jsonAnswer(200, {}));
      await client.rest();
    }
    const last = await beginRequest(both.harness, CHAT);
    const again = await both.upstream.next();
    expect(used.has(again.connection)).toBe(true);
    again.connection.socket.destroy();
    expect(await last.rest()).toContain('upstream_connection_lost');
    expect(both.upstream.arrivals).toHaveLength(3);
  });

  test.each([500, 502, 503, 504])('after an answer with %i', async (status) => {
    await using both = await startScriptedHarness();
    const client = await beginRequest(both.harness, CHAT);
    const body = { error: { message: 'Broken.', code: 'server_error' } };
    (await both.upstream.next()).connection.send(jsonAnswer(status, body, ['Retry-After: 0']));
    expect(await client.rest()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*Broken\\.`));
    expect(both.upstream.arrivals).toHaveLength(1);
  });
});

test('strict mode repairs nothing, but retries after a 429', async () => {
  await using both = await startScriptedHarness({ strict: true });
  const client = await beginRequest(both.harness, CHAT);
  (await both.upstream.next()).connection.send(THROTTLED);
  (await both.upstream.next()).connection.send(jsonAnswer(200, {}));
  expect(await client.rest()).toMatch(/^HTTP\/1\.1 200 /);
});
