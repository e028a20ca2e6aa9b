import { expect, test, vi } from 'vitest';
import { NO_PRICES } from '../../../shared/money/price.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { beginRequest, question, sendRequest } from '../../kit/gateway/request.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';
import { jsonAnswer, openUpstream } from '../../kit/net/scripted-upstream.ts';

const CHAT = question('chat', { model: 'm' });
const STREAM = question('chat', { model: 'm', stream: true });
const VIDEO = {
  path: '/v1/videos',
  headers: ['Content-Type: application/json'],
  body: JSON.stringify({ model: 'm', task: 'ref2va', prompt: 'p', seconds: '4' }),
};
const PRICES = {
  ...NO_PRICES,
  input: 1_000_000,
  output: 1_000_000,
  videoSecond: { '*': 500_000 },
};
const THROTTLED = jsonAnswer(429, { error: { message: 'Slow down.', code: 'rate_limit' } }, [
  'Retry-After: 15',
  'Connection: close',
]);
const FREE = { usage: { source: 'unknown', input: null, output: null }, cost: null };

async function setPrices({ repositories }: Harness): Promise<void> {
  await repositories.prices.add([
    { service: null, model: '*', validFrom: 0, prices: PRICES, tiers: [], origin: 'entered' },
  ]);
}

test.each([
  ['a chat', CHAT],
  ['a video', VIDEO],
])('%s that was refused with 429 costs nothing when its client leaves', async (_, request) => {
  await using both = await startScriptedHarness();
  await setPrices(both.harness);
  const client = await beginRequest(both.harness, request);
  const { connection } = await both.upstream.next();
  connection.send(THROTTLED);
  // The refusal has been read when its connection is closed.
  await connection.closed;
  client.socket.destroy();
  const [record] = await both.harness.recorded(1);
  expect(record).toMatchObject({ attempts: 1, endedBy: 'client', status: null, ...FREE });
});

test('a request whose connection never opened costs nothing when its client leaves', async () => {
  await using upstream = await openUpstream({
    onConnection: (socket) => socket.on('error', () => undefined).resume(),
  });
  const baseUrl = `https://127.0.0.1:${upstream.port}`;
  // In strict mode nothing but the request itself is sent to the service.
  await using harness = await startHarness({ baseUrl, strict: true });
  await setPrices(harness);
  const client = await beginRequest(harness, CHAT);
  await vi.waitFor(async () => {
    const { body } = await sendRequest(harness, { path: '/metrics' });
    expect(body).toMatch(/^gatehouse_service_calls_in_flight\S* 1$/mu);
  });
  client.socket.destroy();
  const [record] = await harness.recorded(1);
  expect(record).toMatchObject({ attempts: 1, endedBy: 'client', status: null, ...FREE });
});

test('a request that the service has taken costs its estimate when its client leaves', async () => {
  await using both = await startScriptedHarness();
  await setPrices(both.harness);
  const client = await beginRequest(both.harness, CHAT);
  await both.upstream.next();
  client.socket.destroy();
  const [record] = await both.harness.recorded(1);
  expect(record).toMatchObject({ attempts: 1, endedBy: 'client', status: null });
  expect([record?.usage.source, record?.cost?.source]).toEqual(['estimated', 'estimated']);
});

test('a refusal that breaks off says so, and costs nothing', async () => {
  await using both = await startScriptedHarness();
  await setPrices(both.harness);
  const answering = sendRequest(both.harness, STREAM);
  const { connection } = await both.upstream.next();
  connection.send('HTTP/1.1 400 Bad Request\r\ncontent-length: 100\r\n\r\n{"err');
  connection.socket.end();
  const answer = await answering;
  expect(answer.status).toBe(502);
  expect(answer.body).toContain('upstream_connection_lost');
  const [record] = await both.harness.recorded(1);
  expect(record).toMatchObject({ errorCode: 'upstream_connection_lost', ...FREE });
});

test.each([
  ['text/plain', 'data: {"choices":[{"index":0,"delta":{"content":"Hello."}}]}\n\n'],
  ['application/octet-stream', '{"choices":[{"index":0,"message":{"content":"Hello."}}]}'],
])('an answer of the type %s that is no page costs its estimate', async (type, body) => {
  await using both = await startScriptedHarness();
  await setPrices(both.harness);
  const answering = sendRequest(both.harness, CHAT);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}`;
  (await both.upstream.next()).connection.send(`${head}\r\n\r\n${body}`);
  await answering;
  const [record] = await both.harness.recorded(1);
  expect(record).toMatchObject({ errorCode: 'unexpected_content_type' });
  expect([record?.usage.source, record?.cost?.source]).toEqual(['estimated', 'estimated']);
});
