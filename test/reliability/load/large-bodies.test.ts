import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, IncomingMessage, request as sendHttp } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { assert, expect, test } from 'vitest';
import type { StoredBody } from '../../../shared/exchange/body.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { usedBytes } from '../../kit/process/memory.ts';

const MIB = 2 ** 20;
const SIZE = 64 * MIB;
const KEPT = MIB;
const CHUNK = 256 * 1024;

/** What a service answers with, and how it is stored. */
interface Answer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly isText: boolean;
}

/** Makes text of exactly this size between a beginning and an end. */
function fill(begin: string, middle: string, end: string): Buffer {
  const body = Buffer.alloc(SIZE, middle);
  body.write(begin, 0);
  body.write(end, SIZE - Buffer.byteLength(end));
  return body;
}

const REQUEST = '{"model":"aurora/aurora-small","messages":[{"role":"user","content":"';
const END = ' the end"}]}';
const words = () => fill(REQUEST, 'word ', END);
const base64 = () => fill(REQUEST, randomBytes(3 * 2 ** 16).toString('base64'), END);
const json = { 'content-type': 'application/json' };

const ANSWERS: Readonly<Record<string, () => Answer>> = {
  text: () => ({ headers: json, body: words(), isText: true }),
  'JSON in base64': () => ({ headers: json, body: base64(), isText: true }),
  'binary data': () => ({
    headers: { 'content-type': 'application/x-data' },
    body: Buffer.alloc(SIZE, randomBytes(MIB)),
    isText: false,
  }),
  'invalid UTF-8': () => ({ headers: json, body: words().fill(0xff, 100, 110), isText: false }),
  'invalid JSON': () => ({ headers: json, body: fill('{"a":[[', 'word ', '!'), isText: true }),
  'gzip without its end': () => ({
    headers: { ...json, 'content-encoding': 'gzip' },
    body: gzipSync(randomBytes(SIZE + MIB), { level: 0 }).subarray(0, SIZE),
    isText: false,
  }),
  'an event stream that ends no line': () => ({
    headers: { 'content-type': 'text/event-stream' },
    body: fill('data: ', 'word ', '!'),
    isText: true,
  }),
};

const digest = (body: Buffer): string => createHash('sha256').update(body).digest('hex');

/** Splits a body into chunks, which are parts of it. */
function* split(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += CHUNK) yield body.subarray(at, at + CHUNK);
}

async function digestAll(message: IncomingMessage): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of message) hash.update(chunk);
  return hash.digest('hex');
}

/** A service that answers every request as the test says, and tells the digests of what it got. */
async function openService() {
  const got: string[] = [];
  const service = { answer: null as Answer | null };
  const server = createServer((request, response) => {
    void (async () => {
      const digested = await digestAll(request);
      const { answer } = service;
      if (request.method !== 'POST' || answer === null) return response.end('{"data":[]}');
      got.push(digested);
      response.writeHead(200, answer.headers);
      await pipeline(Readable.from(split(answer.body)), response).catch(() => undefined);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert(typeof address === 'object' && address !== null);
  return {
    url: `http://127.0.0.1:${address.port}`,
    service,
    got,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Bytes of a response after which the memory in use is measured. */
const EACH = 8 * MIB;

/** Sends a request in chunks. Returns the digest of its response, its id, and the most memory in use while the response came. */
async function send({ port, localKey }: Harness, body: Buffer) {
  const request = sendHttp({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { authorization: `Bearer ${localKey}`, ...json, 'content-length': body.length },
  });
  const responded = once(request, 'response');
  await pipeline(Readable.from(split(body)), request);
  const [message]: unknown[] = await responded;
  assert(message instanceof IncomingMessage);
  const hash = createHash('sha256');
  const before = usedBytes();
  let bytes = 0;
  let most = 0;
  await (async () => {
    for await (const chunk of message) {
      assert(Buffer.isBuffer(chunk));
      hash.update(chunk);
      const { length } = chunk;
      if (Math.floor(bytes / EACH) < Math.floor((bytes + length) / EACH))
        most = Math.max(most, usedBytes() - before);
      bytes += length;
    }
  })().catch(() => undefined);
  return {
    most,
    digest: hash.digest('hex'),
    bytes,
    status: message.statusCode,
    id: String(message.headers['x-gatehouse-exchange']),
  };
}

/** Checks that the beginning and the end of a body are stored as they were, and that the rest is named. */
function expectEnds(stored: StoredBody | null, body: Buffer): void {
  const { text = '', omitted } = stored ?? {};
  const at = omitted?.at ?? 0;
  expect(body.subarray(0, at).equals(Buffer.from(text.slice(0, at)))).toBe(true);
  const tail = Buffer.from(text.slice(at));
  expect(body.subarray(SIZE - tail.length).equals(tail)).toBe(true);
  expect(at + tail.length + (omitted?.bytes ?? 0)).toBe(SIZE);
  expect(at).toBeGreaterThan(KEPT / 2);
}

test.each(Object.entries(ANSWERS))(
  'a response of 64 MiB of %s passes to the byte, and of a text its ends are kept',
  async (_name, makeAnswer) => {
    await using opened = await openService();
    await using harness = await startHarness({ baseUrl: opened.url });
    const answer = makeAnswer();
    opened.service.answer = answer;
    const sent = await send(harness, Buffer.from(`${REQUEST}x"}]}`));
    expect(sent).toMatchObject({ status: 200, bytes: SIZE, digest: digest(answer.body) });
    expect(sent.most).toBeLessThan(24 * MIB);
    const { id } = await harness.recordOf(sent.id);
    const { returned } = await harness.gateway.readBodies(id);
    expect(returned).toMatchObject({ bytes: SIZE, binary: !answer.isText });
    if (answer.isText) expectEnds(returned, answer.body);
    else expect(returned?.text).toBe('');
  },
);

test.each([
  ['text', words, true],
  ['JSON in base64', base64, true],
  ['invalid UTF-8', () => words().fill(0xff, 100, 110), false],
  ['invalid JSON', () => fill('{"a":[[', 'word ', '!'), true],
])(
  'a request of 64 MiB of %s passes to the byte, and of a text its ends are kept',
  async (_name, makeBody, isText) => {
    await using opened = await openService();
    await using harness = await startHarness({ baseUrl: opened.url });
    opened.service.answer = { headers: json, body: Buffer.from('{}'), isText: true };
    const body = makeBody();
    const sent = await send(harness, body);
    expect(sent.status).toBe(200);
    expect(opened.got).toEqual([digest(body)]);
    const { id } = await harness.recordOf(sent.id);
    const bodies = await harness.gateway.readBodies(id);
    expect(bodies.received).toBeNull();
    expect(bodies.sent).toMatchObject({ bytes: SIZE, binary: !isText });
    if (isText) expectEnds(bodies.sent, body);
  },
);
