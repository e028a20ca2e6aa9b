import { connect } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { openGateway } from '../../../gateway/gateway.ts';
import { openKeys } from '../../../gateway/keys/keys.ts';
import { freePort } from '../../kit/net/free-port.ts';
import { type Harness, type HarnessOptions, startHarness } from '../../kit/gateway/harness.ts';
import { dial, parseAnswer, sendRaw } from '../../kit/net/raw-http.ts';
import { sendRequest, beginRequest, question, requestBytes } from '../../kit/gateway/request.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';
import { openUpstream } from '../../kit/net/scripted-upstream.ts';
import { RawConnection } from '../../kit/net/raw-connection.ts';
import { createTestPlatform } from '../../kit/gateway/platform.ts';

/** Shares one harness among several tests, because starting it takes longer than a request. */
function shareHarness(options: HarnessOptions = {}): () => Promise<Harness> {
  let harness: Promise<Harness> | null = null;
  afterAll(async () => await (await harness)?.[Symbol.asyncDispose]());
  return () => (harness ??= startHarness(options));
}

/** Sends a head of exactly these lines. `{PORT}` and `{KEY}` are replaced by those of the harness. */
async function sendLines(harness: Harness, all: readonly string[]) {
  const text = `${[...all, 'Connection: close'].join('\r\n')}\r\n\r\n`;
  return await sendRaw(
    harness.port,
    Buffer.from(
      text.replaceAll('{PORT}', String(harness.port)).replaceAll('{KEY}', harness.localKey),
      'latin1',
    ),
  );
}

describe('A request with a foreign Host is refused before its key is checked', () => {
  const shared = shareHarness();

  const HOSTS = [
    'evil.example',
    'evil.example:{PORT}',
    '127.0.0.1.evil.example:{PORT}',
    'localhost.evil.example:{PORT}',
    'evil.localhost:{PORT}',
    '127.0.0.1',
    '127.0.0.1:1',
    '127.0.0.1:{PORT}0',
    '127.0.0.1:0{PORT}',
    '127.0.0.1:{PORT}:{PORT}',
    '127.0.0.1:{PORT}@evil.example',
    'user@127.0.0.1:{PORT}',
    '127.0.0.1:{PORT}, evil.example',
    'evil.example, 127.0.0.1:{PORT}',
    '127.0.0.1:{PORT}/',
    'http://127.0.0.1:{PORT}',
    '127.1:{PORT}',
    '127.0.0.2:{PORT}',
    '0.0.0.0:{PORT}',
    '0x7f.0.0.1:{PORT}',
    '2130706433:{PORT}',
    '[::]:{PORT}',
    '[::ffff:127.0.0.1]:{PORT}',
    '::1:{PORT}',
    '[::1]',
    'localhost.:{PORT}',
    'localhost',
    'l\u00f6calhost:{PORT}',
    '',
  ];

  test.each(HOSTS)('the host "%s" is refused', async (host) => {
    const harness = await shared();
    const answer = await sendLines(harness, [
      'GET /v1/models HTTP/1.1',
      `Host: ${host}`,
      'Authorization: Bearer {KEY}',
    ]);
    expect(answer.status).toBe(421);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'host_not_allowed' } });
    expect(harness.sandbox.requests).toHaveLength(0);
  });

  test('a request without Host is refused, also in HTTP/1.0', async () => {
    const harness = await shared();
    for (const version of ['1.0', '1.1']) {
      const head = [`GET /v1/models HTTP/${version}`, 'Authorization: Bearer {KEY}'];
      expect((await sendLines(harness, head)).status).toBe(421);
    }
    expect(harness.sandbox.requests).toHaveLength(0);
  });

  test.each(['127.0.0.1:{PORT}', 'localhost:{PORT}', 'LocalHost:{PORT}', '[::1]:{PORT}'])(
    'the host "%s" is accepted',
    async (host) => {
      const harness = await shared();
      const head = ['GET /v1/models HTTP/1.1', `Host: ${host}`, 'Authorization: Bearer {KEY}'];
      expect((await sendLines(harness, head)).status).toBe(200);
    },
  );

  test('a page with a rebound DNS name is refused on every path', async () => {
    await using harness = await startHarness({ allowedOrigins: ['https://app.example'] });
    for (const path of ['/', '/health', '/v1/models']) {
      const rebound = ['Host: rebound.example:{PORT}', 'Origin: http://rebound.example:{PORT}'];
      const answer = await sendLines(harness, [`GET ${path} HTTP/1.1`, ...rebound]);
      expect(answer.status).toBe(421);
      expect(answer.headers.has('access-control-allow-origin')).toBe(false);
    }
  });
});

describe('A request with an Origin that is not allowed gets 403', () => {
  const shared = shareHarness({ allowedOrigins: ['https://app.example'] });

  const HOST = 'Host: 127.0.0.1:{PORT}';
  const ORIGINS = [
    'https://evil.example',
    'null',
    'file://',
    'http://127.0.0.1:{PORT}',
    'http://localhost:{PORT}',
    'https://app.example.evil.example',
    'https://app.example:444',
    'http://app.example',
    'https://APP.example',
    'https://app.example, https://evil.example',
    '*',
    '',
  ];

  test.each(ORIGINS)('the origin "%s" gets 403', async (origin) => {
    const harness = await shared();
    for (const start of [
      ['GET /v1/models HTTP/1.1', 'Authorization: Bearer {KEY}'],
      ['GET / HTTP/1.1'],
      ['OPTIONS /v1/models HTTP/1.1', 'Access-Control-Request-Method: POST'],
      [
        'GET /v1/responses HTTP/1.1',
        'Authorization: Bearer {KEY}',
        'Upgrade: websocket',
        'Connection: Upgrade',
      ],
    ]) {
      const answer = await sendLines(harness, [...start, HOST, `Origin: ${origin}`]);
      expect(answer.status, start[0]).toBe(403);
      expect(answer.body).toContain('origin_not_allowed');
      expect([...answer.headers.keys()].join(' ')).not.toContain('access-control');
    }
    expect(harness.sandbox.requests).toHaveLength(0);
  });

  test('an allowed origin passes, with its preflight', async () => {
    const harness = await shared();
    const origin = 'Origin: https://app.example';
    const preflight = ['OPTIONS /v1/chat/completions HTTP/1.1', HOST, origin];
    const preflightAnswer = await sendLines(harness, [
      ...preflight,
      'Access-Control-Request-Method: POST',
    ]);
    expect(preflightAnswer.status).toBe(204);
    expect(preflightAnswer.headers.get('access-control-allow-origin')).toBe('https://app.example');
    const head = ['GET /v1/models HTTP/1.1', HOST, origin, 'Authorization: Bearer {KEY}'];
    expect((await sendLines(harness, head)).status).toBe(200);
  });

  test('a foreign origin in the last of ten thousand headers gets 403', async () => {
    await using harness = await startHarness();
    const many = Array.from({ length: 10_000 }, () => 'a:b');
    const head = ['GET /v1/models HTTP/1.1', HOST, 'Authorization: Bearer {KEY}'];
    const answer = await sendLines(harness, [...head, ...many, 'Origin: https://evil.example']);
    expect(answer.status).toBe(403);
    expect(harness.sandbox.requests).toHaveLength(0);
  });
});

describe('Gatehouse is not a forward proxy', () => {
  const OWN = ['Host: 127.0.0.1:{PORT}', 'Authorization: Bearer {KEY}'];

  test.each([
    ['an absolute target', 'GET http://evil.example/v1/models HTTP/1.1', 'absolute_target'],
    [
      'our own absolute target',
      'GET http://127.0.0.1:{PORT}/v1/models HTTP/1.1',
      'absolute_target',
    ],
    ['CONNECT', 'CONNECT evil.example:443 HTTP/1.1', 'absolute_target'],
    ['CONNECT to ourselves', 'CONNECT 127.0.0.1:{PORT} HTTP/1.1', 'absolute_target'],
    ['the asterisk', 'OPTIONS * HTTP/1.1', 'absolute_target'],
  ])('%s is refused', async (_name, line, code) => {
    await using harness = await startHarness();
    const answer = await sendLines(harness, [line, ...OWN]);
    expect(answer.status).toBe(400);
    expect(answer.body).toContain(code);
    expect(harness.sandbox.requests).toHaveLength(0);
  });

  test('a target that contains another host stays a path of the service', async () => {
    await using harness = await startHarness();
    const answer = await sendLines(harness, ['GET //evil.example/v1/models HTTP/1.1', ...OWN]);
    expect(answer.status).not.toBe(502);
    for (const { url } of harness.sandbox.requests) expect(url.startsWith('/v1/')).toBe(true);
  });

  test('a service URL that points to Gatehouse is detected as a loop at the first request', async () => {
    await using harness = await startHarness();
    await using loop = await openLoop(harness, (own) => own);
    const answer = await sendRaw(loop.port, bytesFor(harness, loop.port));
    expect(answer.status).toBe(502);
    expect(answer.body).toContain('loop_detected');
  });

  test('a loop through another hop is detected', async () => {
    await using harness = await startHarness();
    let hops = 0;
    let target = 0;
    await using hop = await openUpstream({
      onConnection: (socket) => {
        hops += 1;
        const onward = connect(target, '127.0.0.1');
        socket.on('data', (bytes: Buffer) => {
          const text = bytes.toString('latin1').replace(/(host: [^:]+:)\d+/i, `$1${target}`);
          onward.write(text, 'latin1');
        });
        onward.pipe(socket);
        socket.on('close', () => onward.destroy()).on('error', () => undefined);
      },
    });
    await using loop = await openLoop(harness, () => hop.port);
    target = loop.port;
    const answer = await sendRaw(loop.port, bytesFor(harness, loop.port));
    expect(answer.status).toBe(502);
    expect(answer.body).toContain('loop_detected');
    expect(hops).toBeLessThan(4);
  });
});

function bytesFor(harness: Harness, port: number): Buffer {
  return requestBytes({ ...harness, port }, { path: '/v1/files/f1' });
}

/** Opens a gateway whose service URL is what `via` returns for the gateway's own port. */
async function openLoop(
  { repositories }: Harness,
  via: (own: number) => number,
): Promise<AsyncDisposable & { readonly port: number }> {
  const port = await freePort();
  const { secrets, log } = repositories.host;
  const gateway = await openGateway({
    repositories,
    platform: createTestPlatform(
      await openKeys({ secrets, log, account: 'loop', thisRunKey: 'sk-of-some-service' }),
    ),
    version: 'test',
    upstream: { baseUrl: `http://127.0.0.1:${via(port)}` },
    port,
    allowedOrigins: [],
  });
  return { port, [Symbol.asyncDispose]: () => gateway.close(0) };
}

describe('Nothing of a client can inject headers or leave its path', () => {
  const shared = shareHarness();

  test.each([
    'x\r\nx-evil: 1',
    'x\nSet-Cookie: a=b',
    'aurora-small\u0000\r\n\r\nHTTP/1.1 200 OK',
    '\u2028x-evil: 1',
    'a'.repeat(100_000),
  ])('the model name %j is harmless', async (model) => {
    const harness = await shared();
    const answer = await sendRequest(harness, question('chat', { model }));
    expect(answer.status).toBe(404);
    expect(answer.headers.has('x-evil')).toBe(false);
    expect(answer.headers.has('set-cookie')).toBe(false);
    expect(answer.headers.get('x-gatehouse-repairs') ?? '').toMatch(/^[a-z0-9, -]*$/);
    expect(answer.raw.match(/^HTTP\/1\.1 /gm)).toHaveLength(1);
  });

  test.each([
    '/v1/v1/files/%0d%0ax-evil:1',
    '/v1/files/%0Ax-evil',
    '/v1/files/../../admin',
    '/v1/files/..%2f..%2fadmin',
    '/v1/files/%2e%2e/%2e%2e/admin',
    '/v1/files/.%2E/admin',
    '/v1/files/..\\..\\admin',
    '/v1/files/%5c..%5cadmin',
    '/v1/./models',
    '/v1/models/..',
    '/v1/models#frag',
    '/v1/files/a\tb',
    '/v1/files/%00',
  ])('the path %j is harmless', async (path) => {
    const harness = await shared();
    const answer = await sendRequest(harness, { path });
    expect([400, 404]).toContain(answer.status);
    expect(answer.headers.has('x-evil')).toBe(false);
    const reached = harness.sandbox.requests.filter(({ method }) => method === 'GET');
    expect(reached.filter(({ url }) => url !== '/v1/models')).toHaveLength(0);
  });
});

describe('Local keys', () => {
  test.each([
    ['none', []],
    ['an empty one', ['Authorization: Bearer ']],
    ['an empty header', ['Authorization:']],
    ['a prefix', ['Authorization: Bearer PREFIX']],
    ['one letter more', ['Authorization: Bearer {KEY}x']],
    ['another letter case', ['Authorization: Bearer UPPER']],
    ['a very long one', [`Authorization: Bearer ${'gh-'.padEnd(60_000, 'a')}`]],
    ['the hash of it', [`x-api-key: ${'0'.repeat(64)}`]],
    ['a wildcard', ['Authorization: Bearer *', 'x-api-key: %']],
    ['SQL', ["Authorization: Bearer ' or 1=1 --"]],
    ['Basic', ['Authorization: Basic Z2g6Z2g=']],
    ['one for a proxy', ['Proxy-Authorization: Bearer {KEY}']],
    ['a cookie', ['Cookie: key={KEY}']],
    ['many wrong ones', Array.from({ length: 500 }, (_, n) => `x-api-key: gh-wrong-${n}`)],
  ])('that are invalid get 401: %s', async (_name, headers) => {
    await using harness = await startHarness();
    const { localKey } = harness;
    const filled = headers.map((line) =>
      line
        .replace('PREFIX', localKey.slice(0, -1))
        .replace('UPPER', localKey.toUpperCase())
        .replace('{KEY}', localKey),
    );
    for (const method of ['GET /v1/models', 'POST /v1/chat/completions', 'DELETE /v1/files/f']) {
      const answer = await sendLines(harness, [
        `${method} HTTP/1.1`,
        'Host: 127.0.0.1:{PORT}',
        ...filled,
      ]);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="Gatehouse"');
      expect(answer.body).not.toContain(localKey.slice(3, 12));
    }
    expect(harness.sandbox.requests).toHaveLength(0);
    const records = await harness.recorded(3);
    expect(records.every(({ attempts, clientId }) => attempts === 0 && clientId === null)).toBe(
      true,
    );
  });

  test('of a revoked client are refused immediately', async () => {
    await using harness = await startHarness();
    expect((await sendRequest(harness, {})).status).toBe(200);
    await harness.repositories.clients.revoke('Test');
    expect((await sendRequest(harness, {})).status).toBe(401);
  });

  test('in a query are in no record', async () => {
    await using harness = await startHarness();
    const { localKey } = harness;
    const query = `?key=${localKey}&api_key=${localKey}&a=1&API_KEY=${encodeURIComponent(localKey)}`;
    const heads = [
      [`GET /v1/models${query} HTTP/1.1`, 'Host: 127.0.0.1:{PORT}'],
      [`GET /v1/models${query} HTTP/1.1`, 'Host: evil.example'],
      [`GET /v1/models${query} HTTP/1.1`, 'Host: 127.0.0.1:{PORT}', 'Origin: null'],
      [`GET http://evil.example/v1/models${query} HTTP/1.1`, 'Host: 127.0.0.1:{PORT}'],
      [`GET /nowhere${query} HTTP/1.1`, 'Host: 127.0.0.1:{PORT}'],
      [`GET /v1/files/..${query} HTTP/1.1`, 'Host: 127.0.0.1:{PORT}'],
    ];
    for (const head of heads) await sendLines(harness, head);
    const records = await harness.recorded(heads.length);
    expect(JSON.stringify(records)).not.toContain(localKey);
    expect(records.some(({ pathReceived }) => pathReceived === '/v1/models?a=1')).toBe(true);
    expect(harness.logged.join('\n')).not.toContain(localKey);
    for (const { url } of harness.sandbox.requests) expect(url).not.toContain(localKey);
  });

  test('never reach the service, under any header name', async () => {
    await using harness = await startHarness();
    const names = ['x-api-key', 'api-key', 'X-API-KEY', 'Authorization', 'Proxy-Authorization'];
    const answer = await sendLines(harness, [
      'GET /v1/models?key={KEY} HTTP/1.1',
      'Host: 127.0.0.1:{PORT}',
      ...names.map((name) => `${name}: {KEY}`),
    ]);
    expect(answer.status).toBe(200);
    const [seen] = harness.sandbox.requests;
    expect(JSON.stringify([seen?.url, seen?.rawHeaders])).not.toContain(harness.localKey);
  });
});

describe('Many headers and protocol upgrades', () => {
  test('ten thousand headers all arrive', async () => {
    await using both = await startScriptedHarness();
    const headers = Array.from({ length: 10_000 }, () => 'a:b');
    const client = await beginRequest(both.harness, { path: '/v1/files/f1', headers });
    const { head } = await both.upstream.next();
    expect(head.match(/^a: b$/gm)).toHaveLength(10_000);
    client.socket.destroy();
  });

  test('a WebSocket request gets 426 with advice and does not reach the service', async () => {
    await using harness = await startHarness();
    const client = new RawConnection(await dial(harness.port));
    client.send(
      `GET /v1/responses HTTP/1.1\r\nHost: 127.0.0.1:${harness.port}\r\nAuthorization: Bearer ${harness.localKey}\r\n` +
        'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n\r\n',
    );
    const answer = parseAnswer(await client.rest());
    expect(answer.status).toBe(426);
    expect(answer.headers.get('upgrade')).toBe('HTTP/1.1');
    expect(answer.body).toContain('upgrade_not_supported');
    expect(harness.sandbox.requests).toHaveLength(0);
  });
});
