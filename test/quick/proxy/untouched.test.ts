import { expect, test } from 'vitest';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { testsIn } from '../../kit/gateway/harness-test.ts';
import { dial, sendRaw } from '../../kit/net/raw-http.ts';
import { openUpstream } from '../../kit/net/scripted-upstream.ts';
import { RawConnection } from '../../kit/net/raw-connection.ts';

// One harness for all tests, with a scripted service.
const scripted = test
  // oxlint-disable-next-line no-empty-pattern -- vitest requires the pattern to detect used fixtures
  .extend('service', { scope: 'file' }, async ({}, { onCleanup }) => {
    const service = await openUpstream();
    onCleanup(() => service[Symbol.asyncDispose]());
    return service;
  })
  .extend('harness', { scope: 'file' }, async ({ service }, { onCleanup }) => {
    const harness = await startHarness({ baseUrl: service.url });
    onCleanup(() => harness[Symbol.asyncDispose]());
    return harness;
  });
const real = testsIn();

/** Hop-by-hop headers, headers that each hop writes itself, and those that Gatehouse adds. */
const HOP_BY_HOP =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|via|authorization|x-gatehouse-[a-z]+):/i;

/** Returns the end-to-end header lines of a message, decoded as latin1. */
function endToEnd(head: string): string[] {
  return head
    .split('\r\n')
    .slice(1)
    .filter((line) => line !== '' && !HOP_BY_HOP.test(line));
}

/** Unusual but valid headers (RFC 9110 section 5): cases, order, duplicates, an empty value, every kind of visible byte, latin1, a tab inside. */
const ODD_LINES = [
  'x-Zeta: 1',
  'X-ALPHA: first',
  'Accept: */*;q=0.1, text/html;level="2;3"',
  'x-alpha: second',
  'X-Empty:',
  'x-tab: a\tb',
  'X-Latin: caf\u00e9 \u00ff',
  "x_under.score~!#$%&'*+-^`|: ok",
  'Cookie: a=b; c="d"',
  'Cookie: e=f',
  'anthropic-beta: b,,a',
  'Accept-Encoding: gzip;q=0, zstd',
  'User-Agent: odd/1.0 (comment; (nested))',
  'x-last: !"#$%&\'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~',
];

/** The bytes 0 to 255, many times. */
const EVERY_BYTE = Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7) % 256));

function request(harness: Harness, ask: string, more: readonly string[] = []): string {
  return [
    `${ask} HTTP/1.1`,
    `Host: 127.0.0.1:${harness.port}`,
    `Authorization: Bearer ${harness.localKey}`,
    'Connection: close',
    ...more,
    '\r\n',
  ].join('\r\n');
}

const TARGETS = [
  'GET /v1/videos/a%2Fb?x=1&&y=%20+%2B&[z]={}|^"\'&=&x=1&last',
  'GET /v1/models/Dune%20Open/~x:@!$()*,;=?',
  'DELETE /v1/responses/RESP_1?%',
  'PATCH /v1/anything/Else//?a//b',
  'POST /v1/chat/completions?beta=true&Key2=%ff',
];

scripted.for(TARGETS)(
  '%s and its headers arrive byte for byte',
  async (ask, { service, harness }) => {
    const answered = sendRaw(harness.port, Buffer.from(request(harness, ask, ODD_LINES), 'latin1'));
    const { head, connection } = await service.next();
    connection.send('HTTP/1.1 204 No Content\r\n\r\n');
    expect((await answered).status).toBe(204);
    // Slashes are the only mistake that is repaired in an unknown path.
    expect(head.split('\r\n')[0]).toBe(`${ask.replace('Else//', 'Else')} HTTP/1.1`);
    expect(endToEnd(head)).toEqual(ODD_LINES.map((line) => line.replace('X-Empty:', 'X-Empty: ')));
  },
);

scripted(
  'the body of an upload arrives byte for byte, however it is framed',
  async ({ service, harness }) => {
    const size = `Content-Length: ${EVERY_BYTE.length}`;
    const answered = sendRaw(
      harness.port,
      Buffer.concat([Buffer.from(request(harness, 'PUT /v1/any', [size])), EVERY_BYTE]),
    );
    const arrival = await service.next();
    expect(arrival.head).toContain(`content-length: ${EVERY_BYTE.length}`);
    expect(arrival.body).toBe(EVERY_BYTE.toString('latin1'));
    arrival.connection.send('HTTP/1.1 204 No Content\r\n\r\n');
    expect((await answered).headers.get('x-gatehouse-repairs')).toBeUndefined();
  },
);

scripted(
  'a JSON body arrives byte for byte, with odd numbers, doubles and broken text',
  async ({ service, harness }) => {
    const body = Buffer.concat([
      Buffer.from(' {"temperature":1.0000000000000000001,"a":1e400, "a":-0,\r\n"b":"\\ud800'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('","model":"h3","messages":[]}  '),
    ]);
    const head = request(harness, 'POST /v1/chat/completions', [
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ]);
    const answered = sendRaw(harness.port, Buffer.concat([Buffer.from(head), body]));
    let arrival = await service.next();
    // The gateway itself requests the model list.
    if (arrival.head.startsWith('GET')) {
      arrival.connection.send('HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n');
      arrival = await service.next();
    }
    expect(arrival.body).toBe(body.toString('latin1'));
    arrival.connection.send('HTTP/1.1 204 No Content\r\n\r\n');
    expect((await answered).headers.get('x-gatehouse-repairs')).toBeUndefined();
  },
);

const ODD_ANSWER_LINES = [
  'Content-Type: application/octet-stream',
  'Set-Cookie: a=1; Path=/',
  'X-Odd: one',
  'set-cookie: b=2',
  'x-odd: two',
  'Date: Thu, 01 Jan 2026 00:00:00 GMT',
  'Server: odd/1',
  'Retry-After:  7',
  'X-Latin: caf\u00e9',
  'X-Empty:',
  'ETag: W/"abc"',
];

/** Answers of the service: the status line, the framing of the body, the body. */
const ANSWERS: readonly (readonly [status: string, framing: readonly string[], body: Buffer])[] = [
  ['200 Fine, thank you', [`Content-Length: ${EVERY_BYTE.length}`], EVERY_BYTE],
  ['200 OK', ['Transfer-Encoding: chunked'], EVERY_BYTE],
  ['200 OK', ['Connection: close'], EVERY_BYTE],
  ['404 Not Here', ['Content-Length: 4'], Buffer.from('\x00no\xff', 'latin1')],
  ['299 ', ['Content-Length: 0'], Buffer.alloc(0)],
  ['304 Not Modified', [], Buffer.alloc(0)],
  ['503 Busy', ['Content-Length: 2'], Buffer.from('{}')],
];

scripted.for(ANSWERS)(
  'an answer "%s" framed by %s reaches the client byte for byte',
  async ([status, framing, body], { service, harness }) => {
    const answered = sendRaw(harness.port, request(harness, 'GET /v1/anything'));
    const { connection } = await service.next();
    connection.send([`HTTP/1.1 ${status}`, ...ODD_ANSWER_LINES, ...framing, '\r\n'].join('\r\n'));
    const chunked = framing[0]?.endsWith('chunked') === true;
    if (chunked) connection.send(`${body.length.toString(16)};ext=1\r\n`);
    connection.send(body);
    if (chunked) connection.send('\r\n0\r\n\r\n');
    if (framing[0] === 'Connection: close') connection.socket.end();
    const answer = await answered;
    expect(answer.raw.split('\r\n')[0]).toBe(`HTTP/1.1 ${status}`);
    const head = answer.raw.slice(0, answer.raw.indexOf('\r\n\r\n'));
    const expected = ODD_ANSWER_LINES.map((line) => line.replace(/: */, ': '));
    expect(endToEnd(head)).toEqual(expected);
    expect(answer.body).toBe(body.toString('latin1'));
    expect(answer.headers.get('x-gatehouse-exchange')).toMatch(/^ex-[0-9a-f]{16}$/);
  },
);

/** Requests whose answers are compared with direct answers of the service. */
const DIRECT = [
  [
    'POST /v1/chat/completions',
    '{"model":"ember-mini","messages":[{"role":"user","content":"Hi"}]}',
  ],
  ['POST /v1/chat/completions', '{"model":"ember-mini","temperature":9,"messages":[]}'],
  ['POST /v1/embeddings', '{}'],
  ['GET /v1/models/ember-mini', null],
] as const;

real.for(DIRECT)('%s is answered as the service itself does', async ([ask, body], { harness }) => {
  const { sandbox } = harness;
  const more =
    body === null ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`];
  const through = request(harness, ask, more) + (body ?? '');
  const straight = through.replace(harness.localKey, sandbox.key);
  const [ours, theirs] = await Promise.all([
    sendRaw(harness.port, through),
    sendRaw(Number(new URL(sandbox.url).port), straight),
  ]);
  expect(stableParts(ours.raw)).toEqual(stableParts(theirs.raw));
});

/** Returns the parts that two answers to the same request share. */
function stableParts(raw: string) {
  const end = raw.indexOf('\r\n\r\n');
  const lines = endToEnd(raw.slice(0, end)).filter(
    (line) => !/^(?:date|x-request-id):/i.test(line),
  );
  const body = raw.slice(end + 4);
  return [raw.split('\r\n')[0], lines, body.replaceAll(/"(?:id|created)":[^,]+/g, '')];
}

scripted(
  'HEAD is answered with the length of the body that GET would have',
  async ({ service, harness }) => {
    const answered = sendRaw(harness.port, request(harness, 'HEAD /v1/models'));
    const { connection, head } = await service.next();
    expect(head).toMatch(/^HEAD \/v1\/models HTTP\/1.1/);
    connection.send('HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n');
    const answer = await answered;
    expect(answer.headers.get('content-length')).toBe('12345');
    expect(answer.body).toBe('');
  },
);

scripted('an interim answer does not count as the answer', async ({ service, harness }) => {
  const client = new RawConnection(await dial(harness.port));
  client.send(request(harness, 'GET /v1/anything'));
  const { connection } = await service.next();
  connection.send('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n');
  connection.send('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  expect(await client.rest()).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*\r\n\r\nok$/);
});

test('a vendor path of the service stays before /v1', async () => {
  await using service = await openUpstream();
  await using harness = await startHarness({ baseUrl: `${service.url}/api/coding/paas/v4` });
  const answered = sendRaw(harness.port, request(harness, 'GET /v1/v1/files?x=1'));
  const { head, connection } = await service.next();
  connection.send('HTTP/1.1 204 No Content\r\n\r\n');
  await answered;
  expect(head).toMatch(/^GET \/api\/coding\/paas\/v4\/v1\/files\?x=1 HTTP\/1.1/);
});
