import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { ExchangeRecord } from '../../../shared/exchange/exchange.ts';
import { requestsAt } from '../../kit/gateway/sandbox-requests.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { composeRequest, sendRaw } from '../../kit/net/raw-http.ts';
import {
  jsonAnswer,
  openUpstream,
  type ScriptedUpstream,
} from '../../kit/net/scripted-upstream.ts';

const OPTIONS = '"stream_options":{"include_usage":true}';

function chat(model: string): string {
  return `{"model":"${model}","messages":[{"role":"user","content":"Hi"}], ${OPTIONS},"stream":true}`;
}

async function ask(harness: Harness, body: string) {
  const { port, localKey } = harness;
  const lines = [`Authorization: Bearer ${localKey}`, 'Content-Type: application/json'];
  const bytes = composeRequest({ ask: 'POST /v1/chat/completions', port, lines, body });
  const answer = await sendRaw(port, bytes);
  const record = await harness.recordOf(answer.headers.get('x-gatehouse-exchange'));
  return { answer, record };
}

function repairCodes({ repairs }: ExchangeRecord): string[] {
  return repairs.map(({ code }) => code);
}

async function sentBodies(harness: Harness): Promise<string[]> {
  return await Promise.all(requestsAt(harness).map(async ({ body }) => String(await body)));
}

test('a request whose model refuses stream_options is retried without, and the model is remembered', async () => {
  await using harness = await startHarness();
  const body = chat('harbor/harbor-strict');
  const without = body.replace(` ${OPTIONS},`, ' ');

  const first = await ask(harness, body);
  expect(first.answer.status).toBe(200);
  expect(first.answer.body).toContain('data: [DONE]');
  expect(first.answer.headers.get('x-gatehouse-repairs')).toBe('stream-options-removed');
  expect(first.record.attempts).toBe(2);
  expect(repairCodes(first.record)).toEqual(['stream-options-removed']);

  const second = await ask(harness, body);
  expect(second.answer.status).toBe(200);
  expect(second.record.attempts).toBe(1);
  expect(repairCodes(second.record)).toEqual(['stream-options-removed']);

  expect(await sentBodies(harness)).toEqual([body, without, without]);
  expect(harness.sandbox.charges).toBe(2);
});

test('stream_options that one model refuses are still sent to others', async () => {
  await using harness = await startHarness();
  await ask(harness, chat('harbor/harbor-strict'));
  const { answer, record } = await ask(harness, chat('ember-mini'));
  expect(answer.body).toContain('"usage":{');
  expect(record).toMatchObject({ repairs: [], attempts: 1, usage: { source: 'reported' } });
});

test('a 400 for another reason reaches the client, and nothing is remembered', async () => {
  await using harness = await startHarness();
  const wrong = chat('ember-mini').replace('"stream":true', '"temperature":"hot","stream":true');
  const { answer, record } = await ask(harness, wrong);
  expect(answer.status).toBe(400);
  expect(answer.body).toContain('temperature');
  expect(repairCodes(record)).toEqual([]);
  const good = await ask(harness, chat('ember-mini'));
  expect(good.record).toMatchObject({ repairs: [], attempts: 1 });
});

/** The answer of the service to one request; `null` closes the connection. */
type Step = string | Buffer | null;

/** Answers the clients' requests with the script, one after the other, and requests for the model list in between. */
async function runScript(service: ScriptedUpstream, script: readonly Step[]): Promise<string[]> {
  const sent: string[] = [];
  for (const line of script) {
    let arrival = await service.next();
    // The gateway itself requests the model list.
    while (arrival.head.startsWith('GET')) {
      arrival.connection.send(jsonAnswer(200, { data: [{ id: 'some/model' }] }));
      arrival = await service.next();
    }
    sent.push(arrival.body);
    if (line === null) arrival.connection.socket.destroy();
    else arrival.connection.send(line);
  }
  return sent;
}

test.each([
  ['fails', jsonAnswer(500, {})],
  ['is refused too', jsonAnswer(400, { error: { message: 'other', code: 'other' } })],
])('when the second attempt %s, the client gets the first answer', async (_how, second) => {
  await using service = await openUpstream();
  await using harness = await startHarness({ baseUrl: service.url });
  const body = chat('some/model');
  const refusal = jsonAnswer(400, { error: { message: 'too long', code: 'too_long' } });
  const played = runScript(service, [refusal, second, jsonAnswer(200, {})]);
  expect((await ask(harness, body)).record).toMatchObject({
    status: 400,
    errorCode: 'too_long',
    attempts: 2,
    repairs: [],
  });
  expect((await ask(harness, body)).record).toMatchObject({ status: 200, attempts: 1 });
  expect(await played).toEqual([body, body.replace(` ${OPTIONS},`, ' '), body]);
});

/** A request to whose stream Gatehouse itself adds the options. */
const PLAIN = chat('some/model').replace(` ${OPTIONS},`, '');

test.each([
  ['fails', jsonAnswer(500, {}), 'too_long'],
  ['is limited', jsonAnswer(429, {}, ['retry-after: 60']), 'too_long'],
  ['is refused too', jsonAnswer(400, { error: { message: 'other', code: 'other' } }), 'other'],
])(
  'when only Gatehouse added stream_options and the second attempt %s, the client gets a refusal and no answer to repeat',
  async (_how, second, errorCode) => {
    await using service = await openUpstream();
    await using harness = await startHarness({ baseUrl: service.url });
    const refusal = jsonAnswer(400, { error: { message: 'too long', code: 'too_long' } });
    const played = runScript(service, [refusal, second]);
    const { record } = await ask(harness, PLAIN);
    expect(record).toMatchObject({ status: 400, errorCode, attempts: 2, repairs: [] });
    const [first, again] = await played;
    expect(first).toContain(OPTIONS);
    expect(again).toBe(PLAIN);
  },
);

/** Starts a service that refuses one request for text and cannot be reached afterwards. Returns its address. */
async function startLeaving(): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.end('{"data":[{"id":"some/model"}]}');
      return;
    }
    server.close();
    // The gateway must not send anything on a connection that it still holds ready.
    const others = [...sockets].filter((socket) => socket !== request.socket);
    const closed = others.map((socket) => once(socket, 'close'));
    for (const socket of others) socket.end();
    const refuse = async (): Promise<void> => {
      await Promise.all(closed);
      response.writeHead(400, { 'content-type': 'application/json', connection: 'close' });
      response.end('{"error":{"message":"too long","code":"too_long"}}');
    };
    void refuse();
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return `http://127.0.0.1:${address.port}`;
}

test('when only Gatehouse added stream_options and the service cannot be reached again, the client gets the refusal', async () => {
  await using harness = await startHarness({ baseUrl: await startLeaving() });
  const { record } = await ask(harness, PLAIN);
  expect(record).toMatchObject({ status: 400, errorCode: 'too_long', repairs: [] });
});

test('when the answer to the second attempt is lost, the client is told so and it counts, because it may be charged', async () => {
  await using service = await openUpstream();
  await using harness = await startHarness({ baseUrl: service.url });
  const body = chat('some/model');
  const refusal = jsonAnswer(400, { error: { message: 'too long', code: 'too_long' } });
  const played = runScript(service, [refusal, null]);
  const { record } = await ask(harness, body);
  expect(record).toMatchObject({
    status: 502,
    errorCode: 'upstream_connection_lost',
    attempts: 2,
    usage: { source: 'estimated' },
    cost: { source: 'unpriced' },
  });
  expect(await played).toHaveLength(2);
});

test('a compressed refusal is recognised and remembered', async () => {
  await using service = await openUpstream();
  await using harness = await startHarness({ baseUrl: service.url });
  const body = chat('some/model');
  const packed = gzipSync('{"error":{"message":"stream_options is not supported"}}');
  const head = `HTTP/1.1 400 Bad Request\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`;
  const refusal = Buffer.concat([Buffer.from(head), packed]);
  const played = runScript(service, [refusal, jsonAnswer(200, {}), jsonAnswer(200, {})]);
  expect((await ask(harness, body)).record).toMatchObject({ status: 200, attempts: 2 });
  expect((await ask(harness, body)).record).toMatchObject({ status: 200, attempts: 1 });
  const without = body.replace(` ${OPTIONS},`, ' ');
  expect(await played).toEqual([body, without, without]);
});
