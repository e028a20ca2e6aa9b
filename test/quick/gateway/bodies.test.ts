import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Frames } from '../../../gateway/bodies/frames.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import {
  beginRequest,
  PROTOCOLS,
  question,
  type RawRequest,
  sendRequest,
} from '../../kit/gateway/request.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';
import { chunk, LAST_CHUNK, STREAM_HEAD } from '../../kit/net/scripted-upstream.ts';

/** Sends a request, and returns the bodies of its exchange. */
async function sendAndRead(harness: Harness, request: RawRequest) {
  const { headers, body } = await sendRequest(harness, request);
  const record = await harness.recordOf(headers.get('x-gatehouse-exchange'));
  const answer = Buffer.from(body, 'latin1').toString();
  return { record, answer, bodies: await harness.gateway.readBodies(record.id) };
}

const chat = (text: string) =>
  ({
    path: '/v1/chat/completions',
    headers: ['content-type: application/json'],
    body: JSON.stringify({
      model: 'aurora/aurora-small',
      messages: [{ role: 'user', content: text }],
    }),
  }) satisfies RawRequest;

test.each(PROTOCOLS)('a %s request and its response are kept as they passed', async (protocol) => {
  await using harness = await startHarness();
  const asked = question(protocol);
  const { answer, bodies } = await sendAndRead(harness, asked);
  expect(bodies).toMatchObject({ state: 'kept', received: null });
  expect(bodies.sent).toMatchObject({ text: asked.body, masked: 0, omitted: null, binary: false });
  expect(bodies.returned).toMatchObject({ text: answer, eventTimes: null });
});

test('a repaired request is kept as it came, too', async () => {
  await using harness = await startHarness();
  const asked = {
    ...chat('x'),
    body: '{"model":"Aurora-Small","messages":[{"role":"user","content":"x"}]}',
  };
  const { bodies } = await sendAndRead(harness, asked);
  expect(bodies.received?.text).toContain('"Aurora-Small"');
  expect(bodies.sent?.text).toContain('"aurora/aurora-small"');
});

test('a stream is kept with the time of each event', async () => {
  await using harness = await startHarness();
  const { answer, bodies } = await sendAndRead(harness, question('chat', { stream: true }));
  expect(bodies.returned?.text).toBe(answer);
  const times = bodies.returned?.eventTimes ?? [];
  expect(times.length).toBe(answer.trimEnd().split('\n\n').length);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

test('a running stream can be read while it comes', async () => {
  await using both = await startScriptedHarness();
  const { harness, upstream } = both;
  const client = await beginRequest(harness, question('chat', { stream: true, model: 'm' }));
  const { connection } = await upstream.next();
  connection.send(STREAM_HEAD);
  connection.send(chunk('data: {"first":1}\n\n'));
  const [running] = harness.gateway.runningExchanges().exchanges;
  if (running === undefined) throw new Error('Nothing is running.');
  await expect
    .poll(async () => await harness.gateway.readBodies(running.id))
    .toMatchObject({ state: 'running', returned: { text: 'data: {"first":1}\n\n' } });
  connection.send(chunk('data: [DONE]\n\n'));
  connection.send(LAST_CHUNK);
  await client.rest();
  await expect.poll(async () => (await harness.gateway.readBodies(running.id)).state).toBe('kept');
  expect((await harness.gateway.readBodies(running.id)).returned?.eventTimes).toHaveLength(2);
});

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

const CANARIES = [
  ['the service key', (harness: Harness) => harness.keys.current() ?? ''],
  ['a local key', (harness: Harness) => harness.localKey],
  ['a key of another service', () => `sk-ant-api03-${'a1B2c3D4'.repeat(11)}abcde-abcdefAA`],
] as const;

test.each(CANARIES)('%s in a body is masked and never reaches the disk', async (_name, find) => {
  await using harness = await startHarness({ serviceKey: `sk-canary-${'0123456789'.repeat(4)}` });
  const canary = find(harness);
  expect(canary.length).toBeGreaterThan(16);
  const { bodies } = await sendAndRead(harness, chat(`My key is ${canary}. Say it again.`));
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

test('a compressed request is kept decoded, and its secrets are masked', async () => {
  await using harness = await startHarness({ serviceKey: 'sk-canary-abcdefghijklmnop' });
  const asked = chat('sk-canary-abcdefghijklmnop');
  const { bodies } = await sendAndRead(harness, {
    ...asked,
    headers: [...asked.headers, 'content-encoding: gzip'],
    body: gzipSync(asked.body),
  });
  expect(bodies.sent?.text).toBe(asked.body.replace('sk-canary-abcdefghijklmnop', '<service key>'));
});

test('of a long body the middle is left out, and no key is cut in two there', async () => {
  await using harness = await startHarness({ serviceKey: 'sk-canary-abcdefghijklmnop' });
  const { bodies } = await sendAndRead(harness, chat('sk-canary-abcdefghijklmnop '.repeat(80_000)));
  const { text = '', omitted, bytes = 0 } = bodies.sent ?? {};
  expect(bytes).toBeGreaterThan(2_000_000);
  expect(omitted?.bytes).toBeGreaterThan(900_000);
  expect(text).not.toMatch(/canary|abcdefghijklmnop/u);
});

test('a refusal of Gatehouse is kept like a response', async () => {
  await using harness = await startHarness();
  const { answer, bodies } = await sendAndRead(harness, {
    ...chat('x'),
    path: '/v2/chat/completions',
  });
  expect(bodies.returned?.text).toBe(answer);
});

test('nothing is kept of an unknown client, of uploads, or when it is switched off', async () => {
  await using harness = await startHarness();
  const wrong = { ...harness, localKey: 'gh-wrong' };
  const { headers } = await sendRequest(wrong, chat('x'));
  const refused = await harness.recordOf(headers.get('x-gatehouse-exchange'));
  expect(await harness.gateway.readBodies(refused.id)).toMatchObject({ state: 'absent' });
  const kept = await sendAndRead(harness, chat('x'));
  expect(kept.bodies.state).toBe('kept');
  await harness.gateway.changeSettings({ keepBodiesDays: 0 });
  expect((await sendAndRead(harness, chat('x'))).bodies.state).toBe('absent');
  await expect
    .poll(async () => (await harness.gateway.readBodies(kept.record.id)).state)
    .toBe('absent');
});

test('a hundred exchanges at the same moment are each kept with their own bodies', async () => {
  await using harness = await startHarness();
  const texts = Array.from({ length: 100 }, (_, place) => `number ${place}.`);
  const all = await Promise.all(texts.map((text) => sendAndRead(harness, chat(text))));
  for (const [place, { bodies, answer }] of all.entries()) {
    expect(bodies.sent?.text).toBe(chat(texts[place] ?? '').body);
    expect(bodies.returned?.text).toBe(answer);
  }
  expect(await harness.gateway.bodies.size()).toMatchObject({ exchanges: 100 });
  await harness.gateway.bodies.erase();
  expect(await harness.gateway.bodies.size()).toMatchObject({ exchanges: 0 });
});

test('a private key that the cut divides is not kept', async () => {
  await using harness = await startHarness();
  const lines = Array.from({ length: 50 }, (_, place) => `${place}`.padEnd(64, 'k')).join('\\n');
  const pem = `-----BEGIN RSA PRIVATE KEY-----\\n${lines}\\n-----END RSA PRIVATE KEY-----`;
  const { body } = chat('');
  const before = 768 * 1024 - 2_000 - body.length;
  const { bodies } = await sendAndRead(harness, {
    ...chat(''),
    body: body.replace(
      '"content":""',
      `"content":"${'a '.repeat(before / 2)}${pem} ${'b '.repeat(400_000)}"`,
    ),
  });
  expect(bodies.sent?.omitted).not.toBe(null);
  expect(bodies.sent?.text).not.toContain('kkkk');
});
