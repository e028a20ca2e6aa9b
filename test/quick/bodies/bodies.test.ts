import { expect, test } from 'vitest';
import { askChat, sendAndRead } from '../../kit/bodies/send-and-read.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import { beginRequest, PROTOCOLS, question, sendRequest } from '../../kit/gateway/request.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';
import { chunk, LAST_CHUNK, STREAM_HEAD } from '../../kit/net/scripted-upstream.ts';

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
    ...askChat('x'),
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

test('the messages before a running request are left out where they are known already', async () => {
  await using both = await startScriptedHarness();
  const { harness, upstream } = both;
  const body = JSON.stringify({ model: 'm', input: 'Two.', previous_response_id: 'resp_1' });
  const client = await beginRequest(harness, { ...question('responses'), body });
  const { connection } = await upstream.next();
  const [running] = harness.gateway.runningExchanges().exchanges;
  if (running === undefined) throw new Error('Nothing is running.');
  const readBodies = (isRebuilt: boolean) => harness.gateway.readBodies(running.id, isRebuilt);
  expect(await readBodies(true)).toMatchObject({ earlier: { start: 'not kept' } });
  expect(await readBodies(false)).not.toHaveProperty('earlier');
  connection.send(STREAM_HEAD);
  connection.send(LAST_CHUNK);
  await client.rest();
  await expect.poll(async () => (await readBodies(false)).state).toBe('kept');
  // When it has ended, they are read once more.
  expect(await readBodies(false)).toMatchObject({ earlier: { start: 'not kept' } });
});

test('a refusal of Gatehouse is kept like a response', async () => {
  await using harness = await startHarness();
  const { answer, bodies } = await sendAndRead(harness, {
    ...askChat('x'),
    path: '/v2/chat/completions',
  });
  expect(bodies.returned?.text).toBe(answer);
});

test('nothing is kept of an unknown client, of uploads, or when it is switched off', async () => {
  await using harness = await startHarness();
  const wrong = { ...harness, localKey: 'gh-wrong' };
  const { headers } = await sendRequest(wrong, askChat('x'));
  const refused = await harness.recordOf(headers.get('x-gatehouse-exchange'));
  expect(await harness.gateway.readBodies(refused.id)).toMatchObject({ state: 'absent' });
  const kept = await sendAndRead(harness, askChat('x'));
  expect(kept.bodies.state).toBe('kept');
  await harness.gateway.changeSettings({ keepBodiesDays: 0 });
  expect((await sendAndRead(harness, askChat('x'))).bodies.state).toBe('absent');
  await expect
    .poll(async () => (await harness.gateway.readBodies(kept.record.id)).state)
    .toBe('absent');
});

test('a hundred exchanges at the same moment are each kept with their own bodies', async () => {
  await using harness = await startHarness();
  const texts = Array.from({ length: 100 }, (_, place) => `number ${place}.`);
  const all = await Promise.all(texts.map((text) => sendAndRead(harness, askChat(text))));
  for (const [place, { bodies, answer }] of all.entries()) {
    expect(bodies.sent?.text).toBe(askChat(texts[place] ?? '').body);
    expect(bodies.returned?.text).toBe(answer);
  }
  expect(await harness.gateway.bodies.size()).toMatchObject({ exchanges: 100 });
  await harness.gateway.bodies.erase();
  expect(await harness.gateway.bodies.size()).toMatchObject({ exchanges: 0 });
});

test('no character is divided at the cut', async () => {
  await using harness = await startHarness();
  for (const before of ['', 'x', 'xx']) {
    const asked = askChat(before + '\u7121\u4E60\u00E0'.repeat(300_000));
    const { sent } = (await sendAndRead(harness, asked)).bodies;
    expect(sent?.omitted).not.toBeNull();
    expect(sent?.text.includes('\uFFFD')).toBe(false);
  }
});
