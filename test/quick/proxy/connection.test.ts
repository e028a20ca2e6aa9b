import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { openGateway, PortInUseError } from '../../../gateway/gateway.ts';
import { flood, whenSettled } from '../../kit/net/flood.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { dial, parseAnswer, readAnswer } from '../../kit/net/raw-http.ts';
import {
  type RawRequest,
  sendRequest,
  beginRequest,
  question,
  requestBytes,
  requestHead,
} from '../../kit/gateway/request.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';
import {
  chunk,
  jsonAnswer,
  LAST_CHUNK,
  openUpstream,
  STREAM_HEAD,
} from '../../kit/net/scripted-upstream.ts';
import { RawConnection } from '../../kit/net/raw-connection.ts';
import { join } from 'node:path';
import { openStore } from '../../../gateway/store/store.ts';
import { createTestPlatform } from '../../kit/gateway/platform.ts';

const MIB = 2 ** 20;

const CHAT = question('chat', { model: 'm' });

describe('Hop-by-hop headers are not forwarded', () => {
  test('from a request', async () => {
    await using both = await startScriptedHarness();
    const headers = [
      'Connection: X-Mine, HTTP2-Settings, Content-Type',
      'X-Mine: 1',
      'HTTP2-Settings: AAMAAABk',
      'Upgrade: h2c',
      'Keep-Alive: timeout=5',
      'TE: trailers, deflate',
      'Trailer: X-After',
      'Proxy-Connection: keep-alive',
      'Proxy-Authorization: Basic abc',
      'X-Kept: yes',
      'Content-Type: application/json',
    ];
    const client = await beginRequest(both.harness, { ...CHAT, headers });
    const { connection, head, body } = await both.upstream.next();
    for (const name of ['x-mine', 'http2', 'upgrade', 'keep-alive:', 'te:', 'trailer', 'proxy-']) {
      expect(head.toLowerCase()).not.toContain(`\r\n${name}`);
    }
    expect(head).toContain('\r\nX-Kept: yes');
    expect(head).toContain('\r\nContent-Type: application/json');
    expect(head).toMatch(/\r\nvia: 1\.1 gatehouse-[0-9a-f]{8}/);
    expect(head.match(/\r\nhost: /gi)).toHaveLength(1);
    expect(body).toBe(CHAT.body);
    connection.send(jsonAnswer(200, {}));
    expect((await client.rest()).startsWith('HTTP/1.1 200')).toBe(true);
  });

  test('from an answer', async () => {
    await using both = await startScriptedHarness();
    const client = await beginRequest(both.harness, CHAT);
    const { connection } = await both.upstream.next();
    const hop = ['Connection: X-Theirs', 'X-Theirs: 1', 'Keep-Alive: timeout=9', 'Trailer: X-T'];
    const kept = ['X-Kept: yes', 'Set-Cookie: a=1', 'Set-Cookie: b=2'];
    connection.send(jsonAnswer(200, {}, [...hop, 'Proxy-Authenticate: Basic', ...kept]));
    const answer = await client.rest();
    for (const name of ['x-theirs', 'keep-alive', 'trailer', 'proxy-authenticate']) {
      expect(answer.toLowerCase()).not.toContain(name);
    }
    expect(answer).toContain('X-Kept: yes\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n');
    expect(answer.startsWith('HTTP/1.1 200 Scripted\r\n')).toBe(true);
  });
});

describe('Variants of HTTP', () => {
  test('a client that expects 100-continue gets it from Gatehouse, not from the service', async () => {
    await using both = await startScriptedHarness();
    const client = new RawConnection(await dial(both.harness.port));
    const headers = ['Expect: 100-continue', 'Content-Type: application/json', 'Content-Length: 2'];
    client.send(requestHead(both.harness, 'POST /v1/chat/completions HTTP/1.1', headers));
    expect(await client.head()).toMatch(/^HTTP\/1\.1 100 /);
    client.send('{}');
    const { connection, head } = await both.upstream.next();
    expect(head.toLowerCase()).not.toContain('expect');
    connection.send(jsonAnswer(200, {}));
    expect(await client.head()).toMatch(/^HTTP\/1\.1 200 /);
    client.socket.destroy();
  });

  test('an HTTP/1.0 client gets a stream without chunked encoding, which ends with the connection', async () => {
    await using both = await startScriptedHarness();
    const client = new RawConnection(await dial(both.harness.port));
    client.send(
      requestBytes(both.harness, CHAT).toString('latin1').replace('HTTP/1.1', 'HTTP/1.0'),
    );
    const { connection } = await both.upstream.next();
    connection.send(STREAM_HEAD);
    connection.send(Buffer.concat([chunk('data: [DONE]\n\n'), Buffer.from(LAST_CHUNK)]));
    const answer = await client.rest();
    expect(answer.toLowerCase()).not.toContain('transfer-encoding');
    expect(answer.endsWith('\r\n\r\ndata: [DONE]\n\n')).toBe(true);
  });

  test('HEAD is answered without a body, and the connection stays open', async () => {
    await using both = await startScriptedHarness();
    const client = await beginRequest(both.harness, {
      method: 'HEAD',
      path: '/v1/files/f1',
      keepAlive: true,
    });
    const { connection, head } = await both.upstream.next();
    expect(head.startsWith('HEAD /v1/files/f1 HTTP/1.1')).toBe(true);
    connection.send('HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n');
    expect(await client.head()).toContain('content-length: 5000');
    client.send(requestBytes(both.harness, { path: '/health' }));
    expect(await client.head()).toMatch(/^HTTP\/1\.1 200 /);
    client.socket.destroy();
  });

  test.each([204, 304])(
    'an answer %i has no body, and the connection stays open',
    async (status) => {
      await using both = await startScriptedHarness();
      const client = await beginRequest(both.harness, { path: '/v1/files/f1', keepAlive: true });
      const { connection } = await both.upstream.next();
      connection.send(`HTTP/1.1 ${status} Nothing\r\netag: "e"\r\n\r\n`);
      expect(await client.head()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} Nothing\r\netag: "e"`));
      client.send(requestBytes(both.harness, { path: '/health' }));
      expect(await client.head()).toMatch(/^HTTP\/1\.1 200 /);
      client.socket.destroy();
    },
  );

  test('pipelined requests are answered in their order', async () => {
    await using harness = await startHarness();
    const slow = question('chat', {
      keepAlive: true,
      text: 'first',
      headers: ['x-sandbox-scenario: slow-first-byte=50'],
    });
    const bytes = [
      slow,
      question('chat', { keepAlive: true, text: 'second' }),
      { path: '/health' },
    ];
    const client = await dial(harness.port);
    client.write(Buffer.concat(bytes.map((what) => requestBytes(harness, what))));
    const { raw } = await readAnswer(client);
    const places = ['“first”', '“second”', '"gatehouse"'].map((text) =>
      raw.indexOf(Buffer.from(text).toString('latin1')),
    );
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  test('a disconnect ends all pipelined requests of the connection', async () => {
    await using both = await startScriptedHarness();
    const client = await dial(both.harness.port);
    const bytes = requestBytes(both.harness, { ...CHAT, keepAlive: true });
    client.write(Buffer.concat(Array.from({ length: 20 }, () => bytes)));
    const connections = [];
    for (let i = 0; i < 20; i += 1) connections.push((await both.upstream.next()).connection);
    client.destroy();
    await Promise.all(connections.map(({ closed }) => closed));
    const records = await both.harness.recorded(20);
    expect(records.every(({ endedBy }) => endedBy === 'client')).toBe(true);
    expect(both.harness.gateway.running).toBe(0);
  });

  test('a chunked request is forwarded without its trailers', async () => {
    await using both = await startScriptedHarness();
    const client = new RawConnection(await dial(both.harness.port));
    const headers = ['Transfer-Encoding: chunked', 'Content-Type: application/json'];
    client.send(requestHead(both.harness, 'POST /v1/chat/completions HTTP/1.1', headers));
    for (const part of ['{"mod', 'el":"m"}']) client.send(chunk(part));
    client.send('0\r\nX-After: 1\r\nAuthorization: Bearer evil\r\n\r\n');
    const { connection, head, body } = await both.upstream.next();
    expect(body).toBe('{"model":"m"}');
    expect(head.toLowerCase()).not.toContain('x-after');
    expect(head).not.toContain('evil');
    expect(head.toLowerCase()).not.toContain('transfer-encoding');
    connection.send(jsonAnswer(200, {}));
    await client.head();
    client.socket.destroy();
  });
});

describe('A request with ambiguous framing is refused', () => {
  const EVIL = 'POST /v1/videos HTTP/1.1\r\nHost: x\r\n\r\n';
  const SHAPES = [
    [
      'a content length before chunked encoding',
      ['Content-Length: 5', 'Transfer-Encoding: chunked'],
      `0\r\n\r\n${EVIL}`,
    ],
    [
      'a content length after chunked encoding',
      ['Transfer-Encoding: chunked', 'Content-Length: 5'],
      `0\r\n\r\n${EVIL}`,
    ],
    ['two lengths', ['Content-Length: 2', 'Content-Length: 3'], `{} ${EVIL}`],
    ['a list of lengths', ['Content-Length: 2, 3'], `{} ${EVIL}`],
    ['a signed length', ['Content-Length: +2'], '{}'],
    ['a hexadecimal length', ['Content-Length: 0x2'], '{}'],
    ['chunked before another coding', ['Transfer-Encoding: chunked, identity'], EVIL],
    ['a space before the colon', ['Transfer-Encoding : chunked'], EVIL],
    ['a bare line feed as header end', ['X: a\nTransfer-Encoding: chunked'], '0\r\n\r\n'],
    ['a header without a colon', ['NoColonHere'], ''],
    ['a zero byte', ['X: a\0b'], ''],
    ['a bad chunk size', ['Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n'],
    ['a negative chunk size', ['Transfer-Encoding: chunked'], '-1\r\n{}\r\n0\r\n\r\n'],
    [
      'a chunk that is longer than its size',
      ['Transfer-Encoding: chunked'],
      `1\r\n{}\r\n0\r\n\r\n${EVIL}`,
    ],
  ] as const;

  test.each(SHAPES)('%s is refused', async (_name, headers, rest) => {
    await using both = await startScriptedHarness();
    const client = new RawConnection(await dial(both.harness.port));
    const head = requestHead(both.harness, 'POST /v1/chat/completions HTTP/1.1', headers);
    client.send(head + rest);
    const answers = await client.rest();
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
    expect(answers).toContain('"code":"malformed_request"');
    expect(both.upstream.arrivals).toHaveLength(0);
  });

  test.each(['xchunked', 'gzip, chunked'])('the transfer coding %s is refused', async (coding) => {
    await using both = await startScriptedHarness();
    const client = new RawConnection(await dial(both.harness.port));
    const headers = [`Transfer-Encoding: ${coding}`];
    client.send(requestHead(both.harness, 'POST /v1/chat/completions HTTP/1.1', headers) + EVIL);
    const answers = await client.rest();
    // Either the coding is refused (501), or the bytes that follow it are no valid body (400).
    expect(answers).toMatch(/^HTTP\/1\.1 (?:400|501) /u);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toHaveLength(1);
    expect(both.upstream.arrivals).toHaveLength(0);
  });

  test('chunked encoding in HTTP/1.0 is refused, and the connection is closed', async () => {
    await using both = await startScriptedHarness();
    const client = new RawConnection(await dial(both.harness.port));
    const headers = ['Transfer-Encoding: chunked', 'Connection: keep-alive'];
    const head = requestHead(both.harness, 'POST /v1/chat/completions HTTP/1.0', headers);
    client.send(`${head}2\r\n{}\r\n0\r\n\r\n`);
    const answers = await client.rest();
    expect(answers.match(/HTTP\/1\.\d \d+/g)).toEqual(['HTTP/1.1 400']);
    expect(answers).toContain('HTTP/1.0 with a Transfer-Encoding');
    expect(both.upstream.arrivals).toHaveLength(0);
  });

  test('a folded header is refused or joined, never forwarded as two lines', async () => {
    await using both = await startScriptedHarness();
    const client = new RawConnection(await dial(both.harness.port));
    const headers = ['X-Fold: a\r\n Transfer-Encoding: chunked', 'Content-Length: 2'];
    client.send(requestHead(both.harness, 'POST /v1/chat/completions HTTP/1.1', headers));
    client.send('{}');
    const first = await Promise.race([both.upstream.next(), client.head()]);
    if (typeof first === 'string') expect(first).toMatch(/^HTTP\/1\.1 400 /);
    else expect(first.head.toLowerCase()).not.toContain('\r\ntransfer-encoding');
    client.socket.destroy();
  });

  test('a request with two Host headers is refused', async () => {
    await using both = await startScriptedHarness();
    const headers = ['Host: evil.example'];
    const answer = await sendRequest(both.harness, { ...CHAT, headers });
    expect(answer.status).toBe(421);
    expect(both.upstream.arrivals).toHaveLength(0);
  });

  test.each([
    ['garbage', 'this is not HTTP\r\n\r\n', 'malformed_request'],
    [
      'finding 8: TLS on the HTTP port',
      Buffer.from('16030100f8010000f40303', 'hex'),
      'https_not_supported',
    ],
    ['HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'malformed_request'],
    [
      'too large a head',
      `GET /v1/models HTTP/1.1\r\nX: ${'a'.repeat(70_000)}\r\n\r\n`,
      'malformed_request',
    ],
  ])('%s gets a readable 400', async (_name, bytes, code) => {
    await using harness = await startHarness();
    const client = new RawConnection(await dial(harness.port));
    client.send(bytes);
    const answer = parseAnswer(await client.rest());
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code } });
  });
});

describe('Large bodies', () => {
  test('more than 64 MiB of JSON with a content length gets a 413 that a client which is still sending can read', async () => {
    await using both = await startScriptedHarness();
    const client = new RawConnection(await dial(both.harness.port));
    const length = `Content-Length: ${65 * MIB}`;
    client.send(requestHead(both.harness, 'POST /v1/chat/completions HTTP/1.1', [length]));
    const sending = flood(client.socket, Buffer.alloc(MIB, 0x20), 65);
    expect(await client.head()).toMatch(/^HTTP\/1\.1 413 /);
    await client.until('"code":"body_too_large"');
    await sending.done;
    expect(both.upstream.arrivals).toHaveLength(0);
    client.socket.destroy();
  });

  test('more than 64 MiB of chunked JSON gets a 413 that a client which is still sending can read', async () => {
    await using both = await startScriptedHarness();
    const client = new RawConnection(await dial(both.harness.port));
    const headers = ['Transfer-Encoding: chunked'];
    client.send(requestHead(both.harness, 'POST /v1/chat/completions HTTP/1.1', headers));
    const sending = flood(client.socket, chunk(Buffer.alloc(MIB, 0x20)), 70);
    expect(await client.head()).toMatch(/^HTTP\/1\.1 413 /);
    await client.until('"code":"body_too_large"');
    await sending.done;
    expect(both.upstream.arrivals).toHaveLength(0);
    client.socket.destroy();
  });
});

describe('Slow senders get a timeout', () => {
  test('a head that does not arrive gets 408', async () => {
    await using harness = await startHarness({ limits: { headMs: 100 } });
    const client = new RawConnection(await dial(harness.port));
    client.send('GET /v1/models HTTP/1.1\r\nHost: ');
    expect(await client.rest()).toMatch(/^HTTP\/1\.1 408 [^]*"code":"request_timeout"/);
  });

  test.each([
    { name: 'JSON', path: '/v1/messages', type: 'application/json', start: '' },
    {
      name: 'an incomplete JSON body',
      path: '/v1/messages',
      type: 'application/json',
      start: '{"mo',
    },
    { name: 'an upload', path: '/v1/files', type: 'multipart/form-data; boundary=x', start: '--x' },
    { name: 'an upload of a wrong type', path: '/v1/files', type: 'application/json', start: '' },
  ])('a body that does not arrive gets 408: $name', async ({ path, type, start }) => {
    await using both = await startScriptedHarness({ limits: { bodyIdleMs: 60 } });
    const client = new RawConnection(await dial(both.harness.port));
    const headers = [`Content-Type: ${type}`, 'Content-Length: 100'];
    client.send(requestHead(both.harness, `POST ${path} HTTP/1.1`, headers) + start);
    await client.until('"code":"request_timeout"');
    client.socket.destroy();
    const [record] = await both.harness.recorded(1);
    expect(record).toMatchObject({ status: 408, errorCode: 'request_timeout', endedBy: 'gateway' });
  });

  test('a client that disconnects during its body is recorded as disconnected', async () => {
    await using both = await startScriptedHarness();
    const client = new RawConnection(await dial(both.harness.port));
    client.send(
      requestHead(both.harness, 'POST /v1/messages HTTP/1.1', ['Content-Length: 9']) + '{"',
    );
    await whenSettled(
      () => both.harness.gateway.running,
      () => sendRequest(both.harness, { path: '/health' }),
    );
    client.socket.destroy();
    const [record] = await both.harness.recorded(1);
    expect(record).toMatchObject({ endedBy: 'client', status: null, attempts: 0 });
    expect(both.harness.logged).toEqual([]);
  });

  test('an upload whose sender disconnects is also aborted at the service', async () => {
    await using both = await startScriptedHarness();
    const client = new RawConnection(await dial(both.harness.port));
    const headers = ['Content-Type: multipart/form-data; boundary=x', 'Transfer-Encoding: chunked'];
    client.send(requestHead(both.harness, 'POST /v1/files HTTP/1.1', headers));
    const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
    client.send(chunk(part));
    const { connection } = await both.upstream.next();
    client.send(chunk('the first of many bytes'));
    await connection.until('the first of many');
    client.socket.destroy();
    expect(await connection.rest()).not.toContain('0\r\n\r\n');
    const [record] = await both.harness.recorded(1);
    expect(record).toMatchObject({ endedBy: 'client', status: null, attempts: 1 });
  });
});

test('more exchanges than the limit get 429 until one has ended', async () => {
  await using both = await startScriptedHarness({ limits: { exchanges: 2 } });
  const held = [await beginRequest(both.harness, CHAT), await beginRequest(both.harness, CHAT)];
  await both.upstream.next();
  const { connection } = await both.upstream.next();
  const refused = await sendRequest(both.harness, CHAT);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(refused.body).toContain('too_many_exchanges');
  expect(both.upstream.arrivals).toHaveLength(2);
  held[0]?.socket.destroy();
  held[1]?.socket.destroy();
  await connection.closed;
  await both.harness.recorded(3);
  const client = await beginRequest(both.harness, CHAT);
  (await both.upstream.next()).connection.send(jsonAnswer(200, {}));
  expect(await client.head()).toMatch(/^HTTP\/1\.1 200 /);
  client.socket.destroy();
});

describe('Closing', () => {
  test('lets a running stream finish, refuses new requests and ends idle connections', async () => {
    await using both = await startScriptedHarness();
    const { harness } = both;
    const idle = await beginRequest(harness, { path: '/health', keepAlive: true });
    await idle.head();
    const what: RawRequest = { ...question('chat', { model: 'm', stream: true }), keepAlive: true };
    const client = await beginRequest(harness, what);
    const { connection } = await both.upstream.next();
    connection.send(STREAM_HEAD);
    await client.head();
    const closing = harness.gateway.close(20_000);
    await idle.closed;
    await expect(dial(harness.port)).rejects.toThrow('ECONNREFUSED');
    client.send(requestBytes(harness, { path: '/v1/files/f1' }));
    connection.send(chunk('data: {"choices":[]}\n\n'));
    await client.until('data: {"choices":[]}\n\n');
    connection.send(Buffer.concat([chunk('data: [DONE]\n\n'), Buffer.from(LAST_CHUNK)]));
    await client.until(`data: [DONE]\n\n\r\n${LAST_CHUNK}`);
    await closing;
    const after = await client.rest();
    if (after !== '') expect(after).toContain('shutting_down');
    expect(both.upstream.arrivals).toHaveLength(1);
  });

  test('waits until a slow reader has received its complete answer', async () => {
    await using harness = await startHarness();
    const client = await dial(harness.port);
    client.write(
      requestBytes(harness, question('chat', { headers: ['x-sandbox-scenario: huge-answer=24'] })),
    );
    await once(client, 'readable');
    const seen = harness.sandbox.requests.find(({ method }) => method === 'POST');
    const probe = () => sendRequest(harness, { path: '/health' });
    let finished = 0;
    void seen?.closed.then(() => (finished = 1));
    await whenSettled(() => finished, probe);
    const closing = harness.gateway.close(20_000);
    const { body, headers } = await readAnswer(client);
    expect(body.length).toBe(Number(headers.get('content-length')));
    expect(body.length).toBeGreaterThan(24 * MIB);
    await closing;
  });

  test('also waits for an answer that Gatehouse sends at once', async () => {
    await using upstream = await openUpstream();
    await using harness = await startHarness({ baseUrl: upstream.url });
    const client = await dial(harness.port);
    client.write(requestBytes(harness, { path: '/v1/models' }));
    const data = Array.from({ length: 10_000 }, (_, n) => ({
      id: `model-${n}`,
      about: 'x'.repeat(800),
    }));
    const { connection } = await upstream.next();
    connection.send(jsonAnswer(200, { models: data }));
    await once(client, 'readable');
    expect(harness.gateway.running).toBe(1);
    const closing = harness.gateway.close(20_000);
    const { body, headers } = await readAnswer(client);
    expect(headers.get('x-gatehouse-repairs')).toBe('models-wrapper');
    expect(body.length).toBe(Number(headers.get('content-length')));
    await closing;
  });

  test('aborts running exchanges at the timeout', async () => {
    await using both = await startScriptedHarness();
    const client = await beginRequest(both.harness, question('chat', { model: 'm', stream: true }));
    const { connection } = await both.upstream.next();
    connection.send(STREAM_HEAD);
    await client.head();
    await both.harness.gateway.close(10);
    await connection.closed;
    expect(await client.rest()).not.toContain(LAST_CHUNK);
    const store = await openStore(join(both.harness.dataDir, 'gatehouse.db'));
    const rows = await store.db.selectFrom('exchange').select(['ended_by', 'error_code']).execute();
    await store.close();
    expect(rows).toEqual([{ ended_by: 'gateway', error_code: 'shutting_down' }]);
  });
});

describe('Listening addresses', () => {
  const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
    all?.some(({ address }) => address === '::1'),
  );

  test.runIf(hasIpv6)('::1 is served too', async () => {
    await using harness = await startHarness();
    const client = new RawConnection(await dial(harness.port, '::1'));
    client.send(
      `GET /v1/models HTTP/1.1\r\nHost: [::1]:${harness.port}\r\nx-api-key: ${harness.localKey}\r\nConnection: close\r\n\r\n`,
    );
    expect(await client.rest()).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('no other address of this machine is served', async () => {
    await using harness = await startHarness();
    const others = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .filter(({ internal, address }) => !internal && !address.startsWith('fe80'));
    for (const { address } of others) {
      await expect(dial(harness.port, address)).rejects.toThrow(/ECONNREFUSED|EHOSTUNREACH|ENETUN/);
    }
  });

  test('a port of another process is reported as PortTakenError', async () => {
    await using harness = await startHarness();
    const child = spawn(
      process.execPath,
      [
        '-e',
        'const s=require("net").createServer().listen(0,"127.0.0.1",()=>process.send(s.address().port))',
      ],
      { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
    );
    try {
      const [port]: unknown[] = await once(child, 'message');
      const opening = openSecond(harness, Number(port));
      await expect(opening).rejects.toThrow(PortInUseError);
      await expect(opening).rejects.toMatchObject({ port: Number(port) });
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  });

  test.runIf(hasIpv6)(
    'a port that is taken only on ::1 counts as taken, and is released on 127.0.0.1',
    async () => {
      await using harness = await startHarness();
      const holder = createServer().listen(0, '::1');
      await once(holder, 'listening');
      const address = holder.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      await expect(openSecond(harness, port)).rejects.toThrow(PortInUseError);
      await expect(dial(port)).rejects.toThrow('ECONNREFUSED');
      holder.close();
      await once(holder, 'close');
    },
  );
});

async function openSecond({ repositories, keys, sandbox }: Harness, port: number): Promise<void> {
  const gateway = await openGateway({
    repositories,
    platform: createTestPlatform(keys),
    version: 'test',
    upstream: { baseUrl: sandbox.url },
    port,
    allowedOrigins: [],
  });
  await gateway.close(0);
}
