import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openTestMachine } from '../../kit/process/test-machine.ts';
import { whenSettled } from '../../kit/net/flood.ts';
import { freePort } from '../../kit/net/free-port.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import { dial, parseAnswer } from '../../kit/net/raw-http.ts';
import {
  sendRequest,
  beginRequest,
  type ClientTarget,
  question,
  requestBytes,
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

const CHAT = question('chat', { model: 'm' });
const CHAT_STREAM = question('chat', { model: 'm', stream: true });
const DONE = 'data: [DONE]\n\n';
const MULTIPART = 'Content-Type: multipart/form-data; boundary=x';

/** Begins an upload that is not complete. */
async function beginUpload(
  { port, localKey }: ClientTarget,
  headers: readonly string[] = [],
  start: string | Buffer = '--x\r\n',
): Promise<RawConnection> {
  const connection = new RawConnection(await dial(port));
  const head = [
    'POST /v1/files HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${localKey}`,
    MULTIPART,
    'Transfer-Encoding: chunked',
    ...headers,
  ];
  connection.send(`${head.join('\r\n')}\r\n\r\n`);
  connection.send(chunk(start));
  return connection;
}

/** Returns the uncaught errors while `run` ran, which would have ended the process. */
async function catchUncaught(run: () => Promise<unknown>): Promise<readonly unknown[]> {
  const uncaught: unknown[] = [];
  const note = (error: unknown): void => void uncaught.push(error);
  process.on('uncaughtException', note);
  try {
    await run();
  } finally {
    process.off('uncaughtException', note);
  }
  return uncaught;
}

describe('An upload that is not forwarded does not crash the process', () => {
  const CODINGS = [
    ['as it is', [], '--x\r\n'],
    ['packed', ['Content-Encoding: gzip'], gzipSync('--x\r\n').subarray(0, 12)],
  ] as const;

  /** Errors that are not retried. */
  const ORDER = { path: '/v1/videos', body: '{}' };

  test.each(CODINGS)('when its sender disconnects, %s, and the service is down', async (...row) => {
    const [, headers, start] = row;
    await using harness = await startHarness({ baseUrl: `http://127.0.0.1:${await freePort()}` });
    const uncaught = await catchUncaught(async () => {
      const client = await beginUpload(harness, headers, start);
      await client.until('"code":"upstream_unreachable"');
      client.socket.destroy();
      await harness.recorded(1);
      expect((await sendRequest(harness, ORDER)).status).toBe(502);
    });
    expect(uncaught).toEqual([]);
    expect(await harness.records()).toHaveLength(2);
  });

  test.each(CODINGS)('when its sender disconnects, %s, and there is no key', async (...row) => {
    const [, headers, start] = row;
    await using harness = await startHarness({ serviceKey: null });
    const uncaught = await catchUncaught(async () => {
      const client = await beginUpload(harness, headers, start);
      await client.until('"code":"service_key_missing"');
      client.socket.destroy();
      await harness.recorded(1);
      expect((await sendRequest(harness, { path: '/v1/files/f1' })).status).toBe(503);
    });
    expect(uncaught).toEqual([]);
  });

  test.each(CODINGS)('when its sender stops sending, %s', async (...row) => {
    const [, headers, start] = row;
    await using harness = await startHarness({ serviceKey: null, limits: { bodyIdleMs: 60 } });
    const uncaught = await catchUncaught(async () => {
      const client = await beginUpload(harness, headers, start);
      await client.until('"code":"service_key_missing"');
      // Other senders, silent for as long, show that the timeout has passed.
      for (let i = 0; i < 2; i += 1) {
        const silent = new RawConnection(await dial(harness.port));
        silent.send(requestBytes(harness, { ...CHAT, body: '{"model":"m"}' }).subarray(0, -1));
        await silent.until('"code":"request_timeout"');
        silent.socket.destroy();
      }
      client.socket.destroy();
    });
    expect(uncaught).toEqual([]);
  });

  test('of the command, which continues to serve', async () => {
    const localKey = 'gh-fixed-local-key-of-a-command';
    const environment = {
      GATEHOUSE_UPSTREAM_URL: `http://127.0.0.1:${await freePort()}`,
      GATEHOUSE_UPSTREAM_KEY: 'some-service-key',
      GATEHOUSE_LOCAL_KEY: localKey,
    };
    await using terminal = await openTestMachine();
    await using serving = await terminal.serve([], { environment });
    const target = { port: serving.port, localKey };
    for (const [, headers, start] of CODINGS) {
      const client = await beginUpload(target, headers, start);
      await client.until('"code":"upstream_unreachable"');
      client.socket.destroy();
      // After three failed connections the circuit is open for a moment (503).
      expect([502, 503]).toContain((await sendRequest(target, ORDER)).status);
    }
    expect((await serving.stop('SIGTERM')).stderr).not.toContain('CallerGone');
  });
});

/** Returns the head of an event stream with this content length. */
function streamHead(length: number): string {
  return STREAM_HEAD.replace('transfer-encoding: chunked', `content-length: ${length}`);
}

describe('An event stream with a content length', () => {
  const EVENT = 'data: {"choices":[]}\n\n';

  test.each(['chat', 'messages'] as const)(
    'that ends without its last event does not end cleanly: %s',
    async (protocol) => {
      await using both = await startScriptedHarness();
      const answered = sendRequest(both.harness, question(protocol, { model: 'm', stream: true }));
      const { connection } = await both.upstream.next();
      connection.send(streamHead(EVENT.length) + EVENT);
      const answer = await answered;
      expect(answer.headers.has('content-length')).toBe(false);
      expect(answer.body).toBe(EVENT);
      expect(answer.raw.endsWith(LAST_CHUNK)).toBe(false);
      const [record] = await both.harness.recorded(1);
      expect(record?.errorCode).toBe('upstream_connection_lost');
    },
  );

  test('that pauses arrives complete, with keep-alive comments', async () => {
    await using both = await startScriptedHarness({ limits: { heartbeatMs: 20 } });
    const client = await beginRequest(both.harness, CHAT_STREAM);
    const { connection } = await both.upstream.next();
    connection.send(streamHead(EVENT.length + DONE.length) + EVENT);
    const before = await client.until(': keep-alive\n\n');
    connection.send(DONE);
    const answer = parseAnswer(before + (await client.rest()));
    expect(answer.body.replaceAll(': keep-alive\n\n', '')).toBe(EVENT + DONE);
    expect(answer.raw.endsWith(LAST_CHUNK)).toBe(true);
  });
});

describe('A refused connection that the client keeps half open', () => {
  test.each([
    ['for a WebSocket', 'GET /v1/responses', ['Upgrade: websocket', 'Connection: Upgrade']],
    ['for a tunnel', 'CONNECT 127.0.0.1:443', []],
  ] as const)('%s holds no place', async (_name, line, headers) => {
    await using harness = await startHarness({ limits: { exchanges: 2 } });
    const head = [
      `${line} HTTP/1.1`,
      `Host: 127.0.0.1:${harness.port}`,
      `Authorization: Bearer ${harness.localKey}`,
      ...headers,
    ];
    const halfOpen = Array.from({ length: 3 }, () =>
      connect({ port: harness.port, host: '127.0.0.1', allowHalfOpen: true }),
    );
    for (const socket of halfOpen) {
      socket.on('error', () => undefined);
      const connection = new RawConnection(socket);
      connection.send(`${head.join('\r\n')}\r\n\r\n`);
      expect(await connection.rest()).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(socket.writable).toBe(true);
    }
    const probe = () => sendRequest(harness, { path: '/health' });
    expect(await whenSettled(() => harness.gateway.running, probe)).toBe(0);
    expect((await sendRequest(harness, question('chat'))).status).toBe(200);
    // Data on a connection that Gatehouse has closed resets it.
    const gone = () => halfOpen.filter(({ destroyed }) => destroyed).length;
    const send = async () => {
      for (const socket of halfOpen) if (socket.writable) socket.write('more');
      await probe();
    };
    const ended = await whenSettled(gone, send);
    for (const socket of halfOpen) socket.destroy();
    expect(ended).toBe(halfOpen.length);
  });
});

describe('An unknown content coding', () => {
  test('of an event stream is passed unchanged', async () => {
    await using both = await startScriptedHarness();
    const answered = sendRequest(both.harness, CHAT_STREAM);
    const { connection } = await both.upstream.next();
    const packed = Buffer.from([1, 2, 0, 0xff, 0x0a, 0x0a, 7]);
    connection.send(STREAM_HEAD.replace('content-type', 'content-encoding: dcz\r\ncontent-type'));
    connection.send(Buffer.concat([chunk(packed), Buffer.from(LAST_CHUNK)]));
    const answer = await answered;
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-encoding')).toBe('dcz');
    expect(Buffer.from(answer.body, 'latin1')).toEqual(packed);
    expect(answer.raw.endsWith(LAST_CHUNK)).toBe(true);
  });

  test('of an upload is passed unchanged', async () => {
    await using both = await startScriptedHarness();
    const headers = ['Content-Type: application/octet-stream', 'Content-Encoding: dcz'];
    const client = await beginRequest(both.harness, { path: '/v1/any', headers, body: 'packed' });
    const { connection, head, body } = await both.upstream.next();
    expect(head).toContain('\r\nContent-Encoding: dcz');
    expect(body).toBe('packed');
    connection.send(jsonAnswer(200, {}));
    expect(parseAnswer(await client.rest()).headers.has('x-gatehouse-repairs')).toBe(false);
  });
});

test.each([
  ['Invalid image', true],
  ['Unknown field: stream_options', false],
])(
  'stream_options are sent again to a model that refused with "%s" and then answered: %s',
  async (message, again) => {
    await using both = await startScriptedHarness();
    const first = sendRequest(both.harness, CHAT_STREAM);
    (await both.upstream.next()).connection.send(jsonAnswer(400, { error: { message } }));
    const without = await both.upstream.next();
    expect(without.body).not.toContain('stream_options');
    without.connection.send(jsonAnswer(200, {}));
    expect((await first).status).toBe(200);
    const second = sendRequest(both.harness, CHAT_STREAM);
    const { connection, body } = await both.upstream.next();
    expect(body.includes('stream_options')).toBe(again);
    connection.send(jsonAnswer(200, {}));
    expect((await second).status).toBe(200);
  },
);

test.each([
  ['', []],
  [' that waited to be told to go on', ['Expect: 100-continue']],
])(
  'an upload%s that is answered early has one record when its client disconnects',
  async (...row) => {
    const [, headers] = row;
    await using both = await startScriptedHarness();
    const client = await beginUpload(both.harness, headers);
    const { connection } = await both.upstream.next();
    connection.send(jsonAnswer(413, { error: { message: 'Too large.', code: 'too_large' } }));
    await client.until('"too_large"}}');
    client.socket.end();
    await client.closed;
    const next = sendRequest(both.harness, { path: '/v1/files/f1' });
    (await both.upstream.next()).connection.send(jsonAnswer(200, {}));
    expect((await next).status).toBe(200);
    const records = await both.harness.recorded(2);
    expect(records.map(({ status, errorCode }) => [status, errorCode])).toEqual([
      [200, null],
      [413, 'too_large'],
    ]);
  },
);

test('a reason phrase with invalid characters is answered and recorded', async () => {
  await using both = await startScriptedHarness();
  const answered = sendRequest(both.harness, { path: '/v1/files/f1' });
  const { connection } = await both.upstream.next();
  connection.send(Buffer.from('HTTP/1.1 200 你\r\ncontent-length: 2\r\n\r\n{}'));
  const answer = await answered;
  expect(answer.status).toBe(200);
  expect(answer.body).toBe('{}');
  const record = await both.harness.recordOf(answer.headers.get('x-gatehouse-exchange'));
  expect(record).toMatchObject({ status: 200, errorCode: null, endedBy: 'service' });
});

test('another origin gets no header that could contain a secret', async () => {
  await using both = await startScriptedHarness();
  await using media = await openUpstream();
  const headers = [
    'Accept: video/mp4',
    'Accept-Language: de',
    'Range: bytes=0-1',
    'If-Range: "e"',
    'User-Agent: test/1',
    'X-Goog-Api-Key: secret',
    'OpenAI-Organization: secret',
    'Cookie: a=secret',
    'X-Anything: secret',
  ];
  const client = await beginRequest(both.harness, { path: '/v1/videos/t1/content', headers });
  const home = await both.upstream.next();
  expect(home.head).toContain('X-Anything: secret');
  home.connection.send(jsonAnswer(302, {}, [`location: ${media.url}/v.mp4`]));
  const { connection, head } = await media.next();
  const names = head.split('\r\n').flatMap((line) => /^[^: ]+(?=:)/.exec(line)?.[0] ?? []);
  const ofTheHop = ['host', 'connection'];
  expect(
    names.map((name) => name.toLowerCase()).filter((name) => !ofTheHop.includes(name)),
  ).toEqual(['accept', 'accept-language', 'range', 'if-range', 'user-agent', 'via']);
  expect(head).not.toContain('secret');
  connection.send('HTTP/1.1 206 Partial\r\ncontent-length: 2\r\n\r\nmp');
  expect(await client.rest()).toMatch(/\r\n\r\nmp$/);
});

test('a body declared as octet-stream keeps its type, also when it begins like JSON', async () => {
  await using both = await startScriptedHarness();
  const headers = ['Content-Type: application/octet-stream'];
  const what = { method: 'PUT', path: '/v1/files/f1', headers, body: '[1, 2' };
  const client = await beginRequest(both.harness, what);
  const { connection, head, body } = await both.upstream.next();
  expect(head).toContain('\r\nContent-Type: application/octet-stream');
  expect(body).toBe('[1, 2');
  connection.send(jsonAnswer(200, {}));
  expect(parseAnswer(await client.rest()).headers.has('x-gatehouse-repairs')).toBe(false);
});

describe('A remix of a video is treated as an order', () => {
  const REMIX = {
    path: '/v1/videos/task-1/remix',
    headers: ['Content-Type: application/json'],
    body: '{"prompt":"p"}',
  };

  test('which is sent again after 429, because it was not accepted', async () => {
    await using both = await startScriptedHarness();
    const answered = sendRequest(both.harness, REMIX);
    const throttled = jsonAnswer(429, { error: { message: 'Slow down.' } }, ['Retry-After: 0']);
    (await both.upstream.next()).connection.send(throttled);
    (await both.upstream.next()).connection.send(
      jsonAnswer(200, { id: 'task-2', status: 'queued' }),
    );
    expect((await answered).status).toBe(200);
    // The queue also polls the new task.
    const sent = both.upstream.arrivals.filter(({ head }) => head.startsWith('POST '));
    expect(sent).toHaveLength(2);
  });

  test('whose client is told not to repeat it when the connection is lost', async () => {
    await using both = await startScriptedHarness();
    const answered = sendRequest(both.harness, REMIX);
    (await both.upstream.next()).connection.socket.destroy();
    const answer = await answered;
    expect(answer.status).toBe(502);
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(both.upstream.arrivals).toHaveLength(1);
  });
});

// Shorter than the 30 s after which a silent body would be given up anyway.
test(
  'an error body that does not end is passed on as far as it arrived',
  { timeout: 15_000 },
  async () => {
    await using both = await startScriptedHarness();
    const client = await beginRequest(both.harness, CHAT);
    const { connection } = await both.upstream.next();
    connection.send('HTTP/1.1 500 Broken\r\ncontent-length: 900\r\n\r\nfirst bytes');
    expect(await client.until('first bytes')).toMatch(/^HTTP\/1\.1 500 Broken\r\n/);
    connection.send(', more');
    await client.until(', more');
    client.socket.destroy();
    await connection.closed;
    expect((await both.harness.recorded(1))[0]).toMatchObject({ status: 500, endedBy: 'client' });
  },
);

test('one page of a model list is not treated as the complete list', async () => {
  await using both = await startScriptedHarness();
  expect((await sendRequest(both.harness, {})).body).toContain('"m"');
  const part = sendRequest(both.harness, { path: '/v1/models?after_id=x' });
  const list = { object: 'list', data: [{ id: 'other', object: 'model' }] };
  (await both.upstream.next()).connection.send(jsonAnswer(200, list));
  expect((await part).body).toContain('"other"');
  const answered = sendRequest(both.harness, question('chat', { model: 'M' }));
  const { connection, body } = await both.upstream.next();
  expect(body).toContain('"model":"m"');
  connection.send(jsonAnswer(200, {}));
  expect((await answered).headers.get('x-gatehouse-repairs')).toBe('model-id');
});

test('the usage of responses/compact is recorded', async () => {
  await using both = await startScriptedHarness();
  const compact = { ...question('responses', { model: 'm' }), path: '/v1/responses/compact' };
  const answered = sendRequest(both.harness, compact);
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  const { connection } = await both.upstream.next();
  connection.send(jsonAnswer(200, { object: 'response.compaction', output: [], usage }));
  const record = await both.harness.recordOf((await answered).headers.get('x-gatehouse-exchange'));
  expect(record.usage).toMatchObject({ input: 10, output: 5, source: 'reported' });
});

describe('A client that waits for 100 Continue', () => {
  const EXPECT = 'Expect: 100-continue';

  test('gets only 401 when it has no key', async () => {
    await using both = await startScriptedHarness();
    const { port } = both.harness;
    const client = new RawConnection(await dial(port));
    const head = ['POST /v1/files HTTP/1.1', `Host: 127.0.0.1:${port}`, MULTIPART, EXPECT];
    client.send(`${[...head, 'Content-Length: 900'].join('\r\n')}\r\n\r\n`);
    expect(await client.head()).toMatch(/^HTTP\/1\.1 401 /);
    expect(await client.rest()).toContain('invalid_api_key');
    expect(both.upstream.arrivals).toHaveLength(0);
  });

  test('gets 100 Continue after its key was checked, and then its answer', async () => {
    await using both = await startScriptedHarness();
    const upload = await beginUpload(both.harness, [EXPECT]);
    expect(await upload.head()).toMatch(/^HTTP\/1\.1 100 /);
    upload.send(LAST_CHUNK);
    (await both.upstream.next()).connection.send(jsonAnswer(200, {}));
    expect(await upload.head()).toMatch(/^HTTP\/1\.1 200 /);
    upload.socket.destroy();
  });

  test('may finish its request when the gateway closes', async () => {
    await using both = await startScriptedHarness();
    const client = await beginRequest(both.harness, { ...CHAT, headers: [EXPECT] });
    const { connection } = await both.upstream.next();
    const closing = both.harness.gateway.close(20_000);
    connection.send(jsonAnswer(200, { text: 'all' }));
    expect(parseAnswer(await client.rest()).body).toBe('{"text":"all"}');
    await closing;
  });

  test('gets no 100 Continue in HTTP/1.0', async () => {
    await using both = await startScriptedHarness();
    const client = new RawConnection(await dial(both.harness.port));
    const bytes = requestBytes(both.harness, { ...CHAT, headers: [EXPECT] });
    client.send(bytes.toString('latin1').replace('HTTP/1.1', 'HTTP/1.0'));
    (await both.upstream.next()).connection.send(jsonAnswer(200, {}));
    expect(await client.head()).toMatch(/^HTTP\/1\.1 200 /);
    client.socket.destroy();
  });
});

test('a repaired model list whose client disconnects is recorded as ended by the client', async () => {
  await using upstream = await openUpstream();
  await using harness = await startHarness({ baseUrl: upstream.url });
  const client = await dial(harness.port);
  client.write(requestBytes(harness, {}));
  const about = 'x'.repeat(1000);
  const models = Array.from({ length: 12_000 }, (_, n) => ({ id: `model-${n}`, about }));
  (await upstream.next()).connection.send(jsonAnswer(200, { models }));
  await once(client, 'readable');
  client.destroy();
  const [record] = await harness.recorded(1);
  expect(record).toMatchObject({ status: 200, endedBy: 'client' });
  expect(record?.repairs.map(({ code }) => code)).toEqual(['models-wrapper']);
});

test('a stream whose compression is invalid is cut, and recorded once', async () => {
  await using both = await startScriptedHarness();
  const answered = sendRequest(both.harness, CHAT_STREAM);
  const { connection } = await both.upstream.next();
  connection.send(STREAM_HEAD.replace('content-type', 'content-encoding: gzip\r\ncontent-type'));
  connection.send(chunk('this is no gzip'));
  const answer = await answered;
  expect(answer.body).toBe('');
  expect(answer.raw.endsWith(LAST_CHUNK)).toBe(false);
  const [record, ...others] = await both.harness.recorded(1);
  expect(record?.errorCode).toBe('upstream_connection_lost');
  expect(others).toEqual([]);
});

test('invalid bytes from a client during its answer end the connection without another answer', async () => {
  await using both = await startScriptedHarness();
  const client = await beginRequest(both.harness, CHAT_STREAM);
  const { connection } = await both.upstream.next();
  connection.send(STREAM_HEAD);
  await client.head();
  client.send('\u0001 this is no request\r\n\r\n');
  expect(await client.rest()).not.toContain('400');
  await connection.closed;
});
