import { once } from 'node:events';
import { constants, createGzip, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startHarness } from '../../kit/gateway/harness.ts';
import { dial, parseAnswer } from '../../kit/net/raw-http.ts';
import {
  sendRequest,
  beginRequest,
  PROTOCOLS,
  type ProtocolName,
  question,
  requestBytes,
} from '../../kit/gateway/request.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';
import { chunk, LAST_CHUNK, STREAM_HEAD } from '../../kit/net/scripted-upstream.ts';
import { RawConnection } from '../../kit/net/raw-connection.ts';

const DONE = 'data: [DONE]\n\n';

const STREAMED = question('chat', { stream: true, model: 'm' });

/** The record of an answer that the service aborted. */
const LOST = { endedBy: 'service', errorCode: 'upstream_connection_lost' };

function scenario(protocol: ProtocolName, name: string) {
  return question(protocol, { stream: true, headers: [`x-sandbox-scenario: ${name}`] });
}

function eventsOf(body: string): readonly string[] {
  return body.split('\n\n').slice(0, -1);
}

describe('A stream is passed on as it arrives', () => {
  test.each(PROTOCOLS)(
    'each chunk of a %s stream reaches the client before the next is sent',
    async (protocol) => {
      await using both = await startScriptedHarness();
      const client = await beginRequest(
        both.harness,
        question(protocol, { stream: true, model: 'm' }),
      );
      const { connection } = await both.upstream.next();
      connection.send(STREAM_HEAD);
      expect(await client.head()).toMatch(/^HTTP\/1\.1 200 /);
      for (let n = 0; n < 50; n += 1) {
        const event = `event: step\ndata: {"n":${n}}\n\n`;
        connection.send(chunk(event));
        await client.until(event);
      }
      expect(client.unread.replace('\r\n', '')).toBe('');
      client.socket.destroy();
    },
  );

  test('the bytes do not change with CRLF and chunks split inside characters', async () => {
    await using both = await startScriptedHarness();
    const events = ['Grüße', '日本語', '🦊🏳️‍🌈', 'tab\\t"quoted"', ''].map(
      (text) => `: note\r\ndata: {"choices":[{"delta":{"content":"${text}"}}]}\r\n\r\n`,
    );
    const bytes = Buffer.from(`\uFEFF${events.join('')}data: [DONE]\r\n\r\n`);
    const client = await beginRequest(both.harness, question('chat', { stream: true, model: 'm' }));
    const { connection } = await both.upstream.next();
    connection.send(STREAM_HEAD);
    for (const byte of bytes) connection.send(chunk(Buffer.of(byte)));
    connection.send(LAST_CHUNK);
    const answer = parseAnswer(await client.rest());
    expect(Buffer.from(answer.body, 'latin1')).toEqual(bytes);
    expect(answer.raw.endsWith(LAST_CHUNK)).toBe(true);
  });

  test.each(PROTOCOLS)('the usage of a %s stream in odd chunks is parsed', async (protocol) => {
    await using harness = await startHarness();
    const plain = await sendRequest(harness, question(protocol, { stream: true }));
    const odd = await sendRequest(harness, scenario(protocol, 'odd-chunks'));
    expect(odd.body.length).toBeGreaterThan(plain.body.length);
    const [second, first] = await harness.recorded(2);
    expect(second?.usage).toEqual(first?.usage);
    expect(second?.usage).toMatchObject({ source: 'reported', input: expect.any(Number) });
    expect(second).toMatchObject({ streamed: true, endedBy: 'service', errorCode: null });
    expect(second?.bytesOut).toBe(odd.body.length);
    expect(second?.modelServed).toBe('aurora/aurora-small');
  });

  test('an error event of a stream is passed unchanged and recorded', async () => {
    await using harness = await startHarness();
    const answer = await sendRequest(harness, scenario('messages', 'error-in-stream'));
    expect(answer.body).toContain('event: error');
    expect(answer.raw.endsWith(LAST_CHUNK)).toBe(true);
    const [record] = await harness.recorded(1);
    expect(record).toMatchObject({ endedBy: 'service', status: 200 });
    expect(record?.errorCode).not.toBeNull();
    expect(record?.errorCode).not.toBe('upstream_connection_lost');
  });
});

describe('A client that disconnects', () => {
  test.each(PROTOCOLS)('immediately aborts a %s stream at the service', async (protocol) => {
    await using harness = await startHarness();
    const client = await beginRequest(harness, scenario(protocol, 'silent-stream'));
    await client.until('data: ');
    client.socket.destroy();
    const received = harness.sandbox.requests.find(({ method }) => method === 'POST');
    expect(await received?.closed).toBe('aborted');
    const [record] = await harness.recorded(1);
    expect(record).toMatchObject({ endedBy: 'client', errorCode: null, status: 200 });
  });

  test('before any answer aborts the request, which is recorded without a status', async () => {
    await using both = await startScriptedHarness();
    const client = await beginRequest(both.harness, question('chat', { model: 'm' }));
    const { connection } = await both.upstream.next();
    client.socket.destroy();
    await connection.closed;
    const [record] = await both.harness.recorded(1);
    expect(record).toMatchObject({ endedBy: 'client', status: null, errorCode: null });
  });

  test('during an answer without a stream aborts it at the service', async () => {
    await using both = await startScriptedHarness();
    const client = await beginRequest(both.harness, question('chat', { model: 'm' }));
    const { connection } = await both.upstream.next();
    connection.send(
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{"',
    );
    await client.until('{"');
    client.socket.destroy();
    await connection.closed;
    const [record] = await both.harness.recorded(1);
    expect(record).toMatchObject({ endedBy: 'client', status: 200, bytesOut: 2 });
  });

  test.each([
    ['chat', DONE],
    ['responses', '"type":"response.completed"'],
    ['messages', 'data: {"type":"message_stop"}\n\n'],
  ] as const)(
    'after the last event of a %s stream ends it successfully',
    async (protocol, last) => {
      await using harness = await startHarness();
      const client = await beginRequest(harness, scenario(protocol, 'keep-open'));
      await client.until(last);
      if (protocol === 'responses') await client.until('\n\n');
      client.socket.destroy();
      const [record] = await harness.recorded(1);
      expect(record).toMatchObject({ endedBy: 'service', errorCode: null, status: 200 });
      expect(record?.usage.source).toBe('reported');
    },
  );

  test('while a compressed stream is blocked ends it', async () => {
    await using both = await startScriptedHarness();
    const client = await dial(both.harness.port);
    client.write(requestBytes(both.harness, question('chat', { stream: true, model: 'm' })));
    const { connection } = await both.upstream.next();
    const packed = gzipSync(`data: ${'x'.repeat(64 * 2 ** 20)}\n\n${DONE}`);
    const head = STREAM_HEAD.replace('content-type', 'content-encoding: gzip\r\ncontent-type');
    connection.send(head);
    connection.send(Buffer.concat([chunk(packed), Buffer.from(LAST_CHUNK)]));
    await once(client, 'readable');
    client.destroy();
    const [record] = await both.harness.recorded(1);
    expect(record).toMatchObject({ endedBy: 'client', status: 200 });
    expect(both.harness.gateway.running).toBe(0);
  });
});

describe('A stream that breaks never ends cleanly', () => {
  test.each(PROTOCOLS)(
    '%s: when the service breaks the stream, the client gets the events and then a broken connection',
    async (protocol) => {
      await using harness = await startHarness();
      const answer = await sendRequest(harness, scenario(protocol, 'cut-stream'));
      expect(answer.status).toBe(200);
      expect(eventsOf(answer.body)).toHaveLength(5);
      expect(answer.body.endsWith('\n\n')).toBe(true);
      expect(answer.raw.endsWith(LAST_CHUNK)).toBe(false);
      const [record] = await harness.recorded(1);
      expect(record).toMatchObject({ ...LOST, status: 200, attempts: 1 });
      expect(record?.bytesOut).toBe(answer.body.length);
      expect(harness.sandbox.charges).toBe(1);
    },
  );

  test.each(PROTOCOLS)(
    '%s: the service breaks the stream before the first event',
    async (protocol) => {
      await using both = await startScriptedHarness();
      const client = await beginRequest(
        both.harness,
        question(protocol, { stream: true, model: 'm' }),
      );
      const { connection } = await both.upstream.next();
      connection.send(STREAM_HEAD);
      expect(await client.head()).toMatch(/^HTTP\/1\.1 200 /);
      connection.socket.destroy();
      expect(await client.rest()).toBe('');
      const [record] = await both.harness.recorded(1);
      expect(record).toMatchObject({ ...LOST, status: 200, bytesOut: 0 });
    },
  );

  test.each(PROTOCOLS)('%s: the service breaks the stream inside a line', async (protocol) => {
    await using both = await startScriptedHarness();
    const client = await beginRequest(
      both.harness,
      question(protocol, { stream: true, model: 'm' }),
    );
    const { connection } = await both.upstream.next();
    connection.send(STREAM_HEAD);
    connection.send(chunk('data: {"half":'));
    await client.until('{"half":');
    connection.socket.resetAndDestroy();
    expect(await client.rest()).toBe('\r\n');
    const [record] = await both.harness.recorded(1);
    expect(record).toMatchObject(LOST);
  });

  test.each(PROTOCOLS)(
    '%s: the service ends the stream cleanly without its last event',
    async (protocol) => {
      await using harness = await startHarness();
      const answer = await sendRequest(harness, scenario(protocol, 'short-stream'));
      expect(eventsOf(answer.body)).toHaveLength(5);
      expect(answer.raw.endsWith(LAST_CHUNK)).toBe(false);
      const [record] = await harness.recorded(1);
      expect(record).toMatchObject(LOST);
    },
  );

  test('chat: an HTTP/1.0 client, for which the connection marks the end, gets a reset', async () => {
    await using both = await startScriptedHarness();
    const socket = await dial(both.harness.port);
    const failed = once(socket, 'error');
    const client = new RawConnection(socket);
    client.send(requestBytes(both.harness, STREAMED).toString('latin1').replace('1.1', '1.0'));
    const { connection } = await both.upstream.next();
    connection.send(STREAM_HEAD);
    connection.send(chunk('data: {"choices":[]}\n\n'));
    await client.until('data: {"choices":[]}\n\n');
    connection.socket.destroy();
    await expect(failed).resolves.toMatchObject([{ code: 'ECONNRESET' }]);
    const [record] = await both.harness.recorded(1);
    expect(record).toMatchObject(LOST);
  });

  test('responses: a clean end after unspecified events is accepted', async () => {
    await using both = await startScriptedHarness();
    const client = await beginRequest(
      both.harness,
      question('responses', { stream: true, model: 'm' }),
    );
    const { connection } = await both.upstream.next();
    connection.send(STREAM_HEAD);
    connection.send(chunk('data: {"type":"text","text":"a"}\n\n'));
    connection.send(LAST_CHUNK);
    const answer = parseAnswer(await client.rest());
    expect(answer.body).not.toContain('response.failed');
    expect(answer.raw.endsWith(LAST_CHUNK)).toBe(true);
    const [record] = await both.harness.recorded(1);
    expect(record).toMatchObject({ endedBy: 'service', errorCode: null });
  });

  test.each([
    ['chat', 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'],
    ['chat', DONE],
    ['responses', 'data: {"type":"response.completed","response":{"id":"r"}}\n\n'],
    ['messages', 'data: {"type":"message_stop"}\n\n'],
  ] as const)('%s: what comes after the last event can break: %s', async (protocol, last) => {
    await using both = await startScriptedHarness();
    const client = await beginRequest(
      both.harness,
      question(protocol, { stream: true, model: 'm' }),
    );
    const { connection } = await both.upstream.next();
    connection.send(STREAM_HEAD);
    connection.send(chunk(last));
    const before = await client.until(last);
    connection.socket.destroy();
    const answer = parseAnswer(before + (await client.rest()));
    expect(answer.body).toBe(last);
    expect(answer.raw.endsWith(LAST_CHUNK)).toBe(true);
    const [record] = await both.harness.recorded(1);
    expect(record).toMatchObject({ endedBy: 'service', errorCode: null });
  });

  test.each([
    ['chat', 'data: [DONE]'],
    ['responses', 'data: {"type":"response.completed","response":{"id":"r"}}\n'],
    ['messages', 'event: message_stop\ndata: {"type":"message_stop"}'],
  ] as const)('%s: a last event needs no blank line: %j', async (protocol, last) => {
    await using both = await startScriptedHarness();
    const client = await beginRequest(
      both.harness,
      question(protocol, { stream: true, model: 'm' }),
    );
    const { connection } = await both.upstream.next();
    connection.send(STREAM_HEAD);
    connection.send(chunk(last));
    connection.send(LAST_CHUNK);
    const answer = parseAnswer(await client.rest());
    expect(answer.body).toBe(last);
    expect(answer.raw.endsWith(LAST_CHUNK)).toBe(true);
  });

  test('an answer without a stream that breaks half-way breaks for the client too', async () => {
    await using harness = await startHarness();
    const what = question('chat', { headers: ['x-sandbox-scenario: cut-stream'] });
    const answer = await sendRequest(harness, what);
    expect(answer.status).toBe(200);
    expect(answer.body.length).toBeGreaterThan(0);
    expect(answer.body.length).toBeLessThan(Number(answer.headers.get('content-length')));
    const [record] = await harness.recorded(1);
    expect(record).toMatchObject({ endedBy: 'service', errorCode: 'upstream_connection_lost' });
  });

  test('an answer that Gatehouse parses first becomes a 502 when it breaks half-way', async () => {
    await using harness = await startHarness();
    const headers = ['x-sandbox-scenario: cut-stream'];
    const answer = await sendRequest(harness, { path: '/v1/models', headers });
    expect(answer.status).toBe(502);
    expect(answer.body).toContain('upstream_connection_lost');
    expect(harness.logged).toEqual([]);
  });
});

describe('A silent stream gets keep-alive comments', () => {
  test('between events, and continues after them', async () => {
    await using both = await startScriptedHarness({ limits: { heartbeatMs: 20 } });
    const client = await beginRequest(both.harness, question('chat', { stream: true, model: 'm' }));
    const { connection } = await both.upstream.next();
    connection.send(STREAM_HEAD);
    await client.until(': keep-alive\n\n');
    connection.send(chunk('data: {"choices":[]}\n\n'));
    await client.until('data: {"choices":[]}\n\n');
    await client.until(': keep-alive\n\n');
    await client.until(': keep-alive\n\n');
    connection.send(chunk(DONE));
    connection.send(LAST_CHUNK);
    expect(await client.rest()).toContain(DONE);
    const [record] = await both.harness.recorded(1);
    expect(record?.bytesOut).toBe(22 + DONE.length);
  });

  test('between the lines of an event, which stays intact', async () => {
    await using both = await startScriptedHarness({ limits: { heartbeatMs: 20 } });
    const client = await beginRequest(
      both.harness,
      question('messages', { stream: true, model: 'm' }),
    );
    const { connection } = await both.upstream.next();
    connection.send(STREAM_HEAD);
    connection.send(chunk('event: message_stop\r\n'));
    const before = await client.until(': keep-alive\n');
    connection.send(chunk('data: {"type":"message_stop"}\r\n\r\n'));
    connection.send(LAST_CHUNK);
    const whole = parseAnswer(before + (await client.rest())).body;
    expect(whole.replaceAll(': keep-alive\n', '')).toBe(
      'event: message_stop\r\ndata: {"type":"message_stop"}\r\n\r\n',
    );
  });

  test.each([
    ['inside a line', ['data: {"a":', '1}\n\n']],
    ['inside a CRLF', ['data: {"a":1}\r', '\n\r\n']],
    ['inside a character', [Buffer.from([0x3a, 0xc3]), Buffer.from([0xa4, 0x0a, 0x0a])]],
  ] as const)('but never %s', async (_place, [first, second]) => {
    await using both = await startScriptedHarness({ limits: { heartbeatMs: 10 } });
    const stuck = await beginRequest(both.harness, question('chat', { stream: true, model: 'm' }));
    const { connection } = await both.upstream.next();
    connection.send(STREAM_HEAD);
    await stuck.head();
    connection.send(chunk(first));
    const size = chunk(first).length;
    const received = await stuck.until(chunk(first).toString('latin1'));
    expect(received.endsWith(chunk(first).toString('latin1'))).toBe(true);
    expect(size).toBeGreaterThan(0);
    // Another stream, silent for as long, shows that the interval of comments has passed.
    const clock = await beginRequest(both.harness, question('chat', { stream: true, model: 'm' }));
    (await both.upstream.next()).connection.send(STREAM_HEAD);
    for (let i = 0; i < 4; i += 1) await clock.until(': keep-alive\n\n');
    expect(stuck.unread).toBe('');
    connection.send(chunk(second));
    await stuck.until(chunk(second).toString('latin1'));
    stuck.socket.destroy();
    clock.socket.destroy();
  });
});

describe('A compressed stream', () => {
  test('is decoded chunk by chunk, which is recorded as a repair', async () => {
    await using both = await startScriptedHarness();
    const client = await beginRequest(both.harness, question('chat', { stream: true, model: 'm' }));
    const { connection } = await both.upstream.next();
    connection.send(STREAM_HEAD.replace('content-type', 'content-encoding: gzip\r\ncontent-type'));
    const head = await client.head();
    expect(head).toContain('x-gatehouse-repairs: stream-decoded');
    expect(head.toLowerCase()).not.toContain('content-encoding');
    const packer = createGzip({ flush: constants.Z_SYNC_FLUSH });
    packer.on('data', (packed: Buffer) => connection.send(chunk(packed)));
    for (let n = 0; n < 20; n += 1) {
      packer.write(`data: {"n":${n},"choices":[]}\n\n`);
      await client.until(`data: {"n":${n},"choices":[]}\n\n`);
    }
    packer.end(DONE);
    await once(packer, 'end');
    connection.send(LAST_CHUNK);
    expect(await client.rest()).toContain(DONE);
  });

  test('goes on while the rest of a chunk is still on its way', async () => {
    await using both = await startScriptedHarness();
    const client = await beginRequest(both.harness, question('chat', { stream: true, model: 'm' }));
    const { connection } = await both.upstream.next();
    connection.send(STREAM_HEAD.replace('content-type', 'content-encoding: gzip\r\ncontent-type'));
    const events = [1, 2, 3].map((n) => `data: {"n":${n},"choices":[]}\n\n`);
    const parts = [...events, DONE].map((event) => gzipSync(event));
    const whole = chunk(Buffer.concat(parts));
    let sent = whole.indexOf(parts[0] ?? '');
    connection.send(whole.subarray(0, sent));
    for (const [index, event] of events.entries()) {
      const end = sent + (parts[index]?.length ?? 0);
      connection.send(whole.subarray(sent, end));
      await client.until(event);
      sent = end;
    }
    connection.send(whole.subarray(sent));
    connection.send(LAST_CHUNK);
    expect(await client.rest()).toContain(DONE);
  });

  test('has its usage recorded, and breaks like any other', async () => {
    await using harness = await startHarness();
    const headers = ['x-sandbox-scenario: gzip', 'accept-encoding: gzip'];
    const answer = await sendRequest(harness, question('messages', { stream: true, headers }));
    expect(answer.body).toContain('event: message_stop');
    const [record] = await harness.recorded(1);
    expect(record?.repairs.map(({ code }) => code)).toContain('stream-decoded');
    expect(record?.usage.source).toBe('reported');
  });

  test('that breaks in the middle is cut after the decoded part', async () => {
    await using both = await startScriptedHarness();
    const client = await beginRequest(both.harness, question('chat', { stream: true, model: 'm' }));
    const { connection } = await both.upstream.next();
    connection.send(STREAM_HEAD.replace('content-type', 'content-encoding: gzip\r\ncontent-type'));
    connection.send(chunk(gzipSync('data: {"choices":[]}\n\n').subarray(0, -8)));
    await client.until('data: {"choices":[]}\n\n');
    connection.socket.destroy();
    expect(await client.rest()).toBe('\r\n');
    const [record] = await both.harness.recorded(1);
    expect(record).toMatchObject(LOST);
  });

  test('of which all events arrived before the connection broke is whole', async () => {
    await using both = await startScriptedHarness();
    const client = await beginRequest(both.harness, question('chat', { stream: true, model: 'm' }));
    const { connection } = await both.upstream.next();
    const head = STREAM_HEAD.replace('content-type', 'content-encoding: gzip\r\ncontent-type');
    const usage = '"usage":{"prompt_tokens":7,"completion_tokens":5}';
    const events = `data: {"choices":[],${usage}}\n\n${DONE}`;
    connection.send(`${head}${chunk(gzipSync(events)).toString('latin1')}`);
    connection.socket.end();
    expect(parseAnswer(await client.rest()).body).toContain(DONE);
    const [record] = await both.harness.recorded(1);
    expect(record).toMatchObject({ errorCode: null, usage: { input: 7, output: 5 } });
  });

  test('is passed unchanged in strict mode', async () => {
    await using both = await startScriptedHarness({ strict: true, limits: { heartbeatMs: 5 } });
    const packed = gzipSync(`data: {"choices":[]}\n\n${DONE}`);
    const client = await beginRequest(both.harness, question('chat', { stream: true, model: 'm' }));
    const { connection } = await both.upstream.next();
    connection.send(STREAM_HEAD.replace('content-type', 'content-encoding: gzip\r\ncontent-type'));
    connection.send(chunk(packed));
    connection.send(LAST_CHUNK);
    const answer = parseAnswer(await client.rest());
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(Buffer.from(answer.body, 'latin1')).toEqual(packed);
  });
});
