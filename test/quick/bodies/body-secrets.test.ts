import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import zlib from 'node:zlib';
import { assert, expect, test } from 'vitest';
import { Frames } from '../../../gateway/bodies/frames.ts';
import { assembleResponse } from '../../../shared/parse-bodies/assemble-response.ts';
import { askChat, sendAndRead } from '../../kit/bodies/send-and-read.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { beginRequest, question } from '../../kit/gateway/request.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';
import { chunk, LAST_CHUNK, STREAM_HEAD } from '../../kit/net/scripted-upstream.ts';

/** Reads everything that is stored, decompressed. */
function readFrames(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare('select id from frame').all();
  const frames = new Frames(database);
  const texts = rows.map((row) => frames.read(Number(row['id'])).toString('latin1'));
  const facts = database.prepare('select * from exchange').all();
  database.close();
  return texts.join('\n') + JSON.stringify(facts);
}

const CUT_KEY = 'sk-canary-abcdefghijklmnop';

const HEAD = 768 * 1024;
const TAIL = 256 * 1024;
const EMPTY = { text: '', contentType: null, omitted: null };

const CANARIES = [
  ['the service key', (harness: Harness) => harness.keys.current() ?? ''],
  ['a local key', (harness: Harness) => harness.localKey],
  ['a key of another service', () => `sk-ant-api03-${'a1B2c3D4'.repeat(11)}abcde-abcdefAA`],
] as const;

test.each(CANARIES)('%s in a body is masked and never reaches the disk', async (_name, find) => {
  await using harness = await startHarness({ serviceKey: `sk-canary-${'0123456789'.repeat(4)}` });
  const canary = find(harness);
  expect(canary.length).toBeGreaterThan(16);
  const { bodies } = await sendAndRead(harness, askChat(`My key is ${canary}. Say it again.`));
  expect(bodies.sent?.text).not.toContain(canary);
  expect(bodies.returned?.text).not.toContain(canary);
  expect(bodies.sent?.masked).toBe(1);
  await harness.gateway.bodies.flush();
  const stored = readFrames(join(harness.dataDir, 'bodies.db'));
  expect(stored).toContain('My key is');
  expect(stored).not.toContain(canary);
});

test('a key that is cut over the chunks of a stream is masked', async () => {
  await using both = await startScriptedHarness({ serviceKey: 'sk-canary-abcdefghijklmnop' });
  const { harness, upstream } = both;
  const client = await beginRequest(harness, question('chat', { stream: true, model: 'm' }));
  const { connection } = await upstream.next();
  connection.send(STREAM_HEAD);
  connection.send(chunk('data: {"t":"sk-canary-abcd'));
  connection.send(chunk('efghijklmnop"}\n\ndata: [DONE]\n\n'));
  connection.send(LAST_CHUNK);
  await client.rest();
  const [record] = await harness.recorded(1);
  if (record === undefined) throw new Error('Nothing was recorded.');
  const { returned } = await harness.gateway.readBodies(record.id);
  expect(returned).toMatchObject({ masked: 1 });
  expect(returned?.text).toBe('data: {"t":"<service key>"}\n\ndata: [DONE]\n\n');
});

test.each(CANARIES)(
  'a stream in whose events %s is written in pieces is not kept',
  async (_name, find) => {
    await using both = await startScriptedHarness({
      serviceKey: `sk-canary-${'0123456789'.repeat(4)}`,
    });
    const { harness, upstream } = both;
    const canary = find(harness);
    const client = await beginRequest(harness, question('chat', { stream: true, model: 'm' }));
    const { connection } = await upstream.next();
    connection.send(STREAM_HEAD);
    for (const piece of canary.match(/.{1,9}/gu) ?? []) {
      const delta = { choices: [{ index: 0, delta: { content: piece } }] };
      connection.send(chunk(`data: ${JSON.stringify(delta)}\n\n`));
    }
    connection.send(chunk('data: [DONE]\n\n'));
    connection.send(LAST_CHUNK);
    await client.rest();
    const [record] = await harness.recorded(1);
    if (record === undefined) throw new Error('Nothing was recorded.');
    const { returned } = await harness.gateway.readBodies(record.id);
    expect(returned).toMatchObject({ masked: 1, omitted: null });
    expect(returned?.text).toContain('This stream is not kept');
    const place = await harness.gateway.bodies.findPlace(record.id);
    expect(JSON.stringify(place)).not.toContain(canary.slice(0, 12));
    expect(place?.step.answer).toBeNull();
  },
);

/** Events that give a text in pieces, in fields that a model may write a key into. */
const PIECES: Readonly<Record<string, (piece: string) => object>> = {
  'the arguments of a tool call of Responses': (delta: string) => ({
    type: 'response.function_call_arguments.delta',
    output_index: 0,
    delta,
  }),
  'the second choice of a chat': (content: string) => ({
    choices: [{ index: 1, delta: { content } }],
  }),
  'the reasoning details of a chat': (text: string) => ({
    choices: [{ index: 0, delta: { reasoning_details: [{ index: 0, text }] } }],
  }),
  'a field that no protocol has': (text: string) => ({ result: { text } }),
};

test.each(Object.entries(PIECES))('a key in pieces in %s is not kept', async (name, toEvent) => {
  await using both = await startScriptedHarness({ serviceKey: CUT_KEY });
  const { harness, upstream } = both;
  const protocol = name.includes('Responses') ? 'responses' : 'chat';
  const client = await beginRequest(harness, question(protocol, { stream: true, model: 'm' }));
  const { connection } = await upstream.next();
  const whole = { type: 'function_call', call_id: 'c', name: 'f', arguments: CUT_KEY };
  const events = [
    ...(CUT_KEY.match(/.{1,3}/gu) ?? []).map((piece) => toEvent(piece)),
    // It repeats the key as a whole, and that is masked.
    { type: 'response.output_item.done', output_index: 0, item: whole },
    { type: 'response.completed', response: { id: 'r', output: [whole], status: 'completed' } },
  ];
  connection.send(STREAM_HEAD);
  for (const event of events) connection.send(chunk(`data: ${JSON.stringify(event)}\n\n`));
  connection.send(chunk('data: [DONE]\n\n'));
  connection.send(LAST_CHUNK);
  await client.rest();
  const [record] = await harness.recorded(1);
  assert(record !== undefined);
  const { returned } = await harness.gateway.readBodies(record.id);
  expect(returned?.text).toContain('This stream is not kept');
});

test('a compressed request is kept decoded, and its secrets are masked', async () => {
  await using harness = await startHarness({ serviceKey: 'sk-canary-abcdefghijklmnop' });
  const asked = askChat('sk-canary-abcdefghijklmnop');
  const { bodies } = await sendAndRead(harness, {
    ...asked,
    headers: [...asked.headers, 'content-encoding: gzip'],
    body: zlib.gzipSync(asked.body),
  });
  expect(bodies.sent?.text).toBe(asked.body.replace('sk-canary-abcdefghijklmnop', '<service key>'));
});

const CODINGS: Readonly<Record<string, (text: string) => Buffer>> = {
  gzip: zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: zlib.brotliCompressSync,
  zstd: zlib.zstdCompressSync,
  'gzip, br': (text) => zlib.brotliCompressSync(zlib.gzipSync(text)),
};

test.each(Object.entries(CODINGS))(
  'a key in a request and a response in %s is masked, and never reaches the disk',
  async (coding, compress) => {
    await using both = await startScriptedHarness({ serviceKey: CUT_KEY });
    const { harness, upstream } = both;
    const { path, headers, body } = question('chat', { model: 'm', text: `key ${CUT_KEY}` });
    const client = await beginRequest(harness, {
      path: path ?? '',
      headers: [...(headers ?? []), `content-encoding: ${coding}`, 'accept-encoding: *'],
      body: compress(String(body)),
    });
    const { connection } = await upstream.next();
    const answer = compress(JSON.stringify({ error: { message: `No key ${CUT_KEY}, the rest` } }));
    const lines = ['content-type: application/json', `content-encoding: ${coding}`];
    connection.send(
      `HTTP/1.1 401 No\r\n${lines.join('\r\n')}\r\ncontent-length: ${answer.length}\r\n\r\n`,
    );
    connection.send(answer);
    await client.rest();
    const [record] = await harness.recorded(1);
    assert(record !== undefined);
    const { sent, returned } = await harness.gateway.readBodies(record.id);
    expect(sent?.text).toContain('key <service key>');
    expect(returned?.text).toContain('No key <service key>, the rest');
    expect(readFrames(join(harness.dataDir, 'bodies.db'))).not.toContain(CUT_KEY);
  },
);

test('of a long body the middle is left out, and no key is cut in two there', async () => {
  await using harness = await startHarness({ serviceKey: 'sk-canary-abcdefghijklmnop' });
  const { bodies } = await sendAndRead(
    harness,
    askChat('sk-canary-abcdefghijklmnop '.repeat(80_000)),
  );
  const { text = '', omitted, bytes = 0 } = bodies.sent ?? {};
  expect(bytes).toBeGreaterThan(2_000_000);
  expect(omitted?.bytes).toBeGreaterThan(900_000);
  expect(text).not.toMatch(/canary|abcdefghijklmnop/u);
});

test('a private key that the cut divides is not kept', async () => {
  await using harness = await startHarness();
  const lines = Array.from({ length: 50 }, (_, place) => `${place}`.padEnd(64, 'k')).join('\\n');
  const pem = `-----BEGIN RSA PRIVATE KEY-----\\n${lines}\\n-----END RSA PRIVATE KEY-----`;
  const { body } = askChat('');
  const before = 768 * 1024 - 2_000 - body.length;
  const { bodies } = await sendAndRead(harness, {
    ...askChat(''),
    body: body.replace(
      '"content":""',
      `"content":"${'a '.repeat(before / 2)}${pem} ${'b '.repeat(400_000)}"`,
    ),
  });
  expect(bodies.sent?.omitted).not.toBe(null);
  expect(bodies.sent?.text).not.toContain('kkkk');
});

function toDelta(content: string): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
}

test('of a stream with a key in pieces at the cut nothing of the key is kept', async () => {
  await using both = await startScriptedHarness({ serviceKey: CUT_KEY });
  const { harness, upstream } = both;
  const client = await beginRequest(harness, question('chat', { stream: true, model: 'm' }));
  const { connection } = await upstream.next();
  const fill = (bytes: number) => toDelta('word ').repeat(bytes / toDelta('word ').length);
  // All of the key but its last character is before the cut, and all but its first one behind it.
  const [first = '', ...rest] = CUT_KEY;
  const pieces = [first, ...rest].map(toDelta);
  const beginning = pieces.slice(0, -1).join('');
  const end = pieces.slice(1).join('');
  const before = fill(HEAD - beginning.length - 200) + beginning;
  const behind = end + fill(TAIL - end.length - 200) + 'data: [DONE]\n\n';
  connection.send(STREAM_HEAD);
  const all = before + fill(TAIL + 2 ** 20) + behind;
  for (let at = 0; at < all.length; at += 60_000)
    connection.send(chunk(all.slice(at, at + 60_000)));
  connection.send(LAST_CHUNK);
  await client.rest();
  const [record] = await harness.recorded(1);
  assert(record !== undefined);
  const { returned } = await harness.gateway.readBodies(record.id);
  const answer = assembleResponse('chat', returned ?? EMPTY);
  expect(returned?.omitted?.bytes).toBeGreaterThan(2 ** 20);
  expect(returned?.text.length).toBeGreaterThan(900_000);
  // Not shown when it fails, because the answer is long.
  expect(/sk-can|lmnop/u.test(JSON.stringify(answer))).toBe(false);
  const events = (returned?.text ?? '').trimEnd().split('\n\n');
  expect(events.every((event) => event.startsWith('data: '))).toBe(true);
  expect(returned?.eventTimes).toHaveLength(events.length);
});
