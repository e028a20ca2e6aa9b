import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { requestsAt, latestRequest, headerValues } from '../../kit/gateway/sandbox-requests.ts';
import { type HarnessOptions, startHarness } from '../../kit/gateway/harness.ts';
import { testsIn } from '../../kit/gateway/harness-test.ts';
import { composeRequest, dial, parseAnswer, sendRaw } from '../../kit/net/raw-http.ts';
import { sendRequest, beginRequest, question, requestBytes } from '../../kit/gateway/request.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';
import { jsonAnswer } from '../../kit/net/scripted-upstream.ts';
import { RawConnection } from '../../kit/net/raw-connection.ts';
import { readWholeAnswer } from '../../kit/net/read-answer.ts';
import { expectGatewayError } from '../../kit/gateway/expect-gateway-error.ts';
import { refusalBytes, REFUSALS } from './answers/refusals.ts';

const shared = testsIn();

describe('A refused request', () => {
  shared.for(REFUSALS)(
    'with $name gets an error in the shape of the service',
    async (row, { harness }) => {
      const before = requestsAt(harness).length;
      const client = new RawConnection(await dial(harness.port));
      client.send(refusalBytes(row, harness));
      const answer = await readWholeAnswer(client);
      client.socket.destroy();
      await expectGatewayError(harness, answer, row);
      for (const [name, value] of Object.entries(row.extra ?? {})) {
        expect(answer.headers.get(name)).toBe(value);
      }
      expect(answer.body).toContain(row.says ?? '');
      expect(requestsAt(harness)).toHaveLength(before);
    },
  );
});

shared(
  'a request with the service key instead of a local key has this in its record',
  async ({ harness }) => {
    const { port, sandbox } = harness;
    const lines = [`Authorization: Bearer ${sandbox.key}`];
    const answer = await sendRaw(port, composeRequest({ ask: 'GET /v1/models', port, lines }));
    const record = await expectGatewayError(harness, answer, { code: 'invalid_local_key' });
    expect(record.repairs.map(({ code }) => code)).toEqual(['service-key-sent']);
  },
);

shared.for([
  ['no key', [], 'missing_local_key'],
  ['half a credential', ['Authorization: Bearer'], 'malformed_local_key'],
  ['a wrong key', ['Authorization: Bearer gh-wrong'], 'invalid_local_key'],
] as const)(
  'a 401 for %s has the code of the service in its body and the exact code in a header',
  async ([, lines, exact], { harness }) => {
    const { port } = harness;
    for (const requestLine of ['GET /v1/models', 'POST /v1/messages']) {
      const answer = await sendRaw(port, composeRequest({ ask: requestLine, port, lines }));
      expect(answer.status).toBe(401);
      expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'invalid_api_key' } });
      expect(answer.headers.get('x-gatehouse-error')).toBe(exact);
    }
  },
);

test('a service can neither speak for Gatehouse nor set the cookie of its window', async () => {
  await using both = await startScriptedHarness();
  const client = await beginRequest(both.harness, question('messages', { model: 'm' }));
  const { connection } = await both.upstream.next();
  connection.send(
    jsonAnswer(200, {}, [
      'X-Gatehouse-Exchange: forged',
      'x-gatehouse-repairs: forged',
      'x-gatehouse-error: forged',
      'Set-Cookie: gatehouse_window_6418=forged; Path=/',
      'set-cookie: =gatehouse_window_6418=forged',
      'Set-Cookie: theirs=1',
    ]),
  );
  const answer = await client.rest();
  expect(answer).toContain('Set-Cookie: theirs=1');
  expect(answer).not.toContain('forged');
  expect(answer.match(/^x-gatehouse-exchange: /gim)).toHaveLength(1);
});

shared('what is no HTTP is answered with 400', async ({ harness }) => {
  const answer = await sendRaw(harness.port, 'What is this?\r\n\r\n');
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'malformed_request' } });
  const record = await harness.recordOf(answer.headers.get('x-gatehouse-exchange'));
  expect(record).toMatchObject({ status: 400, errorCode: 'malformed_request', attempts: 0 });
});

shared('a client that speaks https is answered and recorded as such', async ({ harness }) => {
  const socket = connectTls({ host: '127.0.0.1', port: harness.port, rejectUnauthorized: false });
  const [error]: unknown[] = await once(socket, 'error');
  // The TLS library treats the plain answer as a failed handshake.
  expect(error).toMatchObject({ code: expect.stringMatching(/^ERR_SSL_/u) });
  const message = `This client used https://. Use http://127.0.0.1:${harness.port}/v1.`;
  const found = { status: 400, errorCode: 'https_not_supported', errorMessage: message };
  await expect.poll(() => harness.records()).toContainEqual(expect.objectContaining(found));

  const answer = await sendRaw(harness.port, Buffer.from([0x16, 0x03, 0x01, 0x00, 0x05]));
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.body)).toMatchObject({
    error: { code: 'https_not_supported', message: expect.stringContaining(message) },
  });
});

shared('a connection is used again after errors of all kinds', async ({ harness }) => {
  const client = new RawConnection(await dial(harness.port));
  const steps = [
    [{ path: '/nothing/here', keepAlive: true }, 404],
    [{ path: '/v1/../x', keepAlive: true }, 400],
    [{ path: '/v1/files/unknown', keepAlive: true }, 404],
    [
      { path: '/v1/responses', headers: ['Content-Encoding: gzip'], body: 'x', keepAlive: true },
      400,
    ],
    [question('chat', { model: 'sandbox/error-500', keepAlive: true }), 500],
    [question('messages', { keepAlive: true }), 200],
  ] as const;
  for (const [what, status] of steps) {
    client.send(requestBytes(harness, what));
    const answer = await readWholeAnswer(client);
    expect(answer.status, answer.body).toBe(status);
  }
  client.socket.destroy();
});

describe('A slow client', () => {
  test.concurrent('gets 408 when its request head does not arrive', async () => {
    await using harness = await startHarness({ limits: { headMs: 200 } });
    const client = new RawConnection(await dial(harness.port));
    client.send('GET /v1/models HTTP/1.1\r\nHost: ');
    const answer = parseAnswer(await client.rest());
    expect(answer.status).toBe(408);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'request_timeout' } });
  });

  test.concurrent('gets 408 when its body does not arrive', async () => {
    await using harness = await startHarness({ limits: { bodyIdleMs: 200 } });
    const client = new RawConnection(await dial(harness.port));
    const bytes = requestBytes(harness, question('messages'));
    client.send(bytes.subarray(0, bytes.length - 5));
    const answer = await readWholeAnswer(client);
    client.socket.destroy();
    await expectGatewayError(harness, answer, { code: 'request_timeout', shape: 'messages' });
    expect(requestsAt(harness)).toEqual([]);
  });

  test.concurrent('gets 408 when its upload does not arrive', async () => {
    await using harness = await startHarness({ limits: { bodyIdleMs: 200 } });
    const client = new RawConnection(await dial(harness.port));
    const type = 'Content-Type: multipart/form-data; boundary=b';
    const bytes = requestBytes(harness, {
      path: '/v1/files',
      headers: [type],
      body: '--b\r\nmore',
    });
    client.send(bytes.subarray(0, bytes.length - 2));
    const answer = await readWholeAnswer(client);
    client.socket.destroy();
    await expectGatewayError(harness, answer, { code: 'request_timeout' });
  });
});

describe('When Gatehouse cannot accept a request', () => {
  test('because too many are running, it answers 429 with Retry-After', async () => {
    await using harness = await startHarness({ limits: { exchanges: 1 } });
    const first = await beginRequest(
      harness,
      question('chat', { stream: true, model: 'sandbox/keep-open' }),
    );
    await first.head();
    const answer = await sendRequest(harness, question('messages'));
    await expectGatewayError(harness, answer, { code: 'too_many_exchanges', shape: 'messages' });
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(requestsAt(harness)).toHaveLength(1);
    first.socket.destroy();
  });

  test('because it is shutting down, it answers 503 and lets running requests finish', async () => {
    await using harness = await startHarness();
    const lines = ['x-sandbox-scenario: gate=1'];
    const slow = question('chat', { stream: true, headers: lines, keepAlive: true });
    const client = await beginRequest(harness, slow);
    await client.head();
    const closed = harness.gateway.close(10_000);
    client.send(requestBytes(harness, question('messages')));
    await expect.poll(() => harness.gateway.running).toBe(2);
    harness.sandbox.openGate(1);
    const first = await client.until('\r\n0\r\n\r\n');
    expect(first).toContain('data: [DONE]');
    const answer = parseAnswer(await client.rest());
    expect(answer.status, answer.raw).toBe(503);
    expect(JSON.parse(answer.body)).toMatchObject({
      type: 'error',
      error: { code: 'shutting_down' },
    });
    expect(answer.headers.get('retry-after')).toBe('5');
    await closed;
  });

  test('because it has no service key, it answers 503', async () => {
    await using harness = await startHarness({ serviceKey: null });
    const answer = await sendRequest(harness, question('messages'));
    await expectGatewayError(harness, answer, { code: 'service_key_missing', shape: 'messages' });
    expect(harness.sandbox.requests).toEqual([]);
  });

  test('because the keychain is locked, it answers 503', async () => {
    const locked = { state: 'locked', reason: 'The keychain is locked.' } as const;
    const secrets: HarnessOptions['secrets'] = {
      read: () => Promise.resolve(locked),
      write: () => Promise.resolve(locked),
      remove: () => Promise.resolve(locked),
    };
    await using harness = await startHarness({ serviceKey: null, secrets });
    await expectGatewayError(harness, await sendRequest(harness, {}), {
      code: 'service_key_locked',
    });
  });

  shared('because it came from Gatehouse itself, it answers 502', async ({ harness }) => {
    await sendRequest(harness, { path: '/v1/models/x' });
    const via = headerValues(latestRequest(harness).rawHeaders, 'via').join();
    const answer = await sendRequest(harness, { headers: [`Via: 1.0 other, ${via}`] });
    await expectGatewayError(harness, answer, { code: 'loop_detected' });
  });
});
