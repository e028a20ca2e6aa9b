import { expect, test } from 'vitest';
import { startHarness } from '../../kit/gateway/harness.ts';
import { sendRequest, beginRequest, question } from '../../kit/gateway/request.ts';
import {
  type ArrivedRequest,
  chunk,
  jsonAnswer,
  LAST_CHUNK,
  openUpstream,
  STREAM_HEAD,
} from '../../kit/net/scripted-upstream.ts';
import { order, startQuickHarness } from '../../kit/videos/queue.ts';

const SLEPT = 'This computer slept during the request.';
const serviceKey = 'sk-any-key';

async function startScripted() {
  const closing = new AsyncDisposableStack();
  const service = closing.use(await openUpstream({ models: ['m'] }));
  const harness = closing.use(await startHarness({ baseUrl: service.url, serviceKey }));
  return { service, harness, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

test('the record of a stream that breaks after a sleep tells of it', async () => {
  await using both = await startScripted();
  const { harness, service } = both;
  const client = await beginRequest(harness, question('chat', { stream: true, model: 'm' }));
  const { connection } = await service.next();
  connection.send(STREAM_HEAD);
  connection.send(chunk('data: {"n":1}\n\n'));
  await client.until('{"n":1}');
  harness.gateway.sleep();
  await harness.gateway.wake();
  connection.socket.destroy();
  await client.rest();
  const [record] = await harness.recorded(1);
  expect(record?.errorCode).toBe('upstream_connection_lost');
  expect(record?.errorMessage).toContain(SLEPT);
});

test('an answer that never comes after a sleep tells of it; one that was asked for later does not', async () => {
  await using both = await startScripted();
  const { harness, service } = both;
  const answering = sendRequest(harness, question('messages', { model: 'm' }));
  const { connection } = await service.next();
  harness.gateway.sleep();
  connection.socket.destroy();
  const slept = await answering;
  expect(slept.status).toBe(502);
  expect(slept.body).toContain(SLEPT);
  const later = sendRequest(harness, question('messages', { model: 'm' }));
  (await service.next()).connection.socket.destroy();
  expect((await later).body).not.toContain(SLEPT);
});

test('after waking, what ran goes on, and what is new gets a new connection', async () => {
  await using both = await startScripted();
  const { harness, service } = both;
  const exchange = async (): Promise<ArrivedRequest> => {
    const answering = sendRequest(harness, question('chat', { model: 'm' }));
    const arrival = await service.next();
    arrival.connection.send(jsonAnswer(200, { choices: [] }));
    expect((await answering).status).toBe(200);
    return arrival;
  };
  // The list of models came first, on a connection of its own.
  await exchange();
  const first = await exchange();
  const client = await beginRequest(harness, question('chat', { stream: true, model: 'm' }));
  const running = await service.next();
  expect(running.connection).toBe(first.connection);
  running.connection.send(STREAM_HEAD);
  await client.head();
  const idle = await exchange();
  expect((await exchange()).connection).toBe(idle.connection);

  harness.gateway.sleep();
  await Promise.all([harness.gateway.wake(), harness.gateway.wake()]);
  await harness.gateway.wake();
  expect([first.connection, idle.connection]).not.toContain((await exchange()).connection);
  running.connection.send(chunk('data: [DONE]\n\n'));
  running.connection.send(LAST_CHUNK);
  expect((await client.rest()).endsWith(LAST_CHUNK)).toBe(true);
  await first.connection.closed;
  expect((await harness.records()).every(({ errorCode }) => errorCode === null)).toBe(true);
});

test('what is known of the service outlasts a sleep', async () => {
  await using both = await startScripted();
  const { harness, service } = both;
  const answering = sendRequest(harness, question('chat', { model: 'm' }));
  (await service.next()).connection.send(jsonAnswer(401, { error: { message: 'No.' } }));
  await answering;
  await harness.recorded(1);
  const { reach, keyRefusedAt } = await harness.gateway.status();
  expect(keyRefusedAt).toBeTypeOf('number');
  await harness.gateway.wake();
  expect(await harness.gateway.status()).toMatchObject({ reach, keyRefusedAt });
});

test('waking after the end does nothing and says nothing', async () => {
  let asked = 0;
  const proxyFor = () => {
    asked += 1;
    return Promise.resolve({ proxyUrl: null, reason: null });
  };
  await using harness = await startHarness({ baseUrl: 'https://service.test', proxyFor });
  await harness.gateway.close(0);
  await harness.gateway.wake();
  harness.gateway.sleep();
  expect(asked).toBe(1);
  expect(harness.logged.filter((line) => line.startsWith('warn'))).toEqual([]);
});

test('after waking, a question about a video is asked again at once, and an order on its way is left alone', async () => {
  await using service = await openUpstream();
  await using harness = await startQuickHarness({ baseUrl: service.url, serviceKey });
  const answer = async (body: object): Promise<void> => {
    (await service.next()).connection.send(jsonAnswer(200, body));
  };
  const { id } = await order(harness, 'A fox.');
  await answer({ file_url: 'https://files.example.com/fox.png' });
  await answer({ task_id: 'task-1', status: 'queued' });
  const asked = await service.next();
  await order(harness, 'A hare.');
  const ordered = await service.next();
  harness.gateway.sleep();
  const [again] = await Promise.all([service.next(), harness.gateway.wake()]);
  await asked.connection.closed;
  const lines = [asked, ordered, again].map(({ head }) => head.split('\r\n')[0]);
  expect(lines[1]).toBe('POST /v1/videos HTTP/1.1');
  expect(lines[2]).toBe(lines[0]);
  expect(ordered.connection.socket.destroyed).toBe(false);
  expect((await harness.repositories.videos.get(id)).job.problem).toBeNull();
});
