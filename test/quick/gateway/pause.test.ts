import { array, assert, asyncProperty, constantFrom } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { requestsAt } from '../../kit/gateway/sandbox-requests.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { testsIn } from '../../kit/gateway/harness-test.ts';
import { sendRequest, beginRequest, question } from '../../kit/gateway/request.ts';
import { jsonAnswer, openUpstream } from '../../kit/net/scripted-upstream.ts';
import {
  orderRequest,
  orderBody,
  sendOrder,
  readTaskId,
  uploadPicture,
} from '../../kit/videos/video-order.ts';
import { expectGatewayError } from '../../kit/gateway/expect-gateway-error.ts';
import { order, startQuickHarness } from '../../kit/videos/queue.ts';

const shared = testsIn();
const CAT = 'https://files.example.com/cat.png';
const UPLOAD = { path: '/v1/files', headers: ['Content-Type: text/plain'], body: 'a cat' };

/** Pauses Gatehouse while something is done, also when that fails: other tests use it too. */
async function whilePaused<T>({ gateway }: Harness, act: () => Promise<T>): Promise<T> {
  gateway.pause();
  try {
    return await act();
  } finally {
    gateway.resume();
  }
}

describe('While Gatehouse is paused', () => {
  shared.for([
    ['a chat', question('chat'), undefined],
    ['a stream', question('responses', { stream: true }), undefined],
    ['a message', question('messages'), 'messages'],
    ['the list of models', { path: '/v1/models' }, undefined],
    ['an upload', UPLOAD, undefined],
    ['the order of a video', orderRequest(orderBody(CAT)), undefined],
    ['a question about a video', { path: '/v1/videos/unknown' }, undefined],
  ] as const)('%s is refused, and nothing is sent', async ([, what, shape], { harness }) => {
    const before = requestsAt(harness).length;
    const answer = await whilePaused(harness, () => sendRequest(harness, what));
    const record = await expectGatewayError(harness, answer, {
      code: 'paused',
      ...(shape === undefined ? {} : { shape }),
    });
    expect(answer.body).toContain('Nothing was sent. Resume it with the command: gatehouse resume');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(answer.headers.get('x-should-retry')).toBeUndefined();
    expect(record.attempts).toBe(0);
    expect(requestsAt(harness)).toHaveLength(before);
    expect(await harness.gateway.status()).toMatchObject({ lastError: null });
  });

  shared('probes are answered, and whoever has no key hears that first', async ({ harness }) => {
    await whilePaused(harness, async () => {
      expect((await sendRequest(harness, { path: '/health' })).status).toBe(200);
      const stranger = { port: harness.port, localKey: 'gh-wrong' };
      expect((await sendRequest(stranger, question('chat'))).status).toBe(401);
    });
  });

  test('what runs goes on to its end', async () => {
    await using harness = await startHarness();
    const headers = ['x-sandbox-scenario: gate=1'];
    const client = await beginRequest(harness, question('chat', { stream: true, headers }));
    await client.head();
    harness.gateway.pause();
    harness.sandbox.openGate(1);
    expect(await client.rest()).toContain('data: [DONE]');
  });

  shared('the latest answer about a video is given again', async ({ harness }) => {
    const taskId = readTaskId(
      await sendOrder(
        harness,
        orderBody(await uploadPicture(harness), 'A cat. [scenario render-ms=60000]'),
      ),
    );
    const path = `/v1/videos/${taskId}`;
    expect((await sendRequest(harness, { path })).status).toBe(200);
    const again = await whilePaused(harness, () => sendRequest(harness, { path }));
    expect(again.status).toBe(200);
    expect(again.headers.get('x-gatehouse-replayed')).toBeDefined();
  });

  test('no video is ordered, those under way are looked after, and the rest comes later', async () => {
    await using service = await openUpstream({ models: ['h3'] });
    await using harness = await startQuickHarness({
      baseUrl: service.url,
      serviceKey: 'sk-any-key',
    });
    const first = await order(harness, 'A fox.', { image: null });
    (await service.next()).connection.send(jsonAnswer(200, { task_id: 'task-1' }));
    // The render lasts until the questions about it are answered.
    let asked = await service.next();
    harness.gateway.pause();
    const second = await order(harness, 'A hare.', { image: null });
    while (asked.head.startsWith('GET /v1/videos/task-1 ')) {
      asked.connection.send(jsonAnswer(200, { task_id: 'task-1', status: 'completed' }));
      asked = await service.next();
    }
    expect(asked.head).toMatch(/^GET \/v1\/videos\/task-1\/content /);
    expect((await harness.repositories.videos.get(second.id)).job.state).toBe('waiting');
    harness.gateway.resume();
    const ordered = await service.next();
    expect(ordered.head).toMatch(/^POST \/v1\/videos /);
    expect(ordered.body).toContain('A hare.');
    expect((await harness.repositories.videos.get(first.id)).job.state).toBe('downloading');
    const orders = service.arrivals.filter(({ head }) => head.startsWith('POST'));
    expect(orders).toHaveLength(2);
  });

  test('an upload that would lead to an order is stopped, made anew later, and ordered once', async () => {
    await using service = await openUpstream();
    await using harness = await startQuickHarness({
      baseUrl: service.url,
      serviceKey: 'sk-any-key',
    });
    const { id } = await order(harness, 'A fox.');
    const upload = await service.next();
    harness.gateway.pause();
    await upload.connection.closed;
    // Another one makes the queue look at all of them.
    const other = await order(harness, 'A hare.');
    await harness.repositories.videos.act(other.id, { type: 'cancel' });
    expect((await harness.repositories.videos.get(id)).job.state).toBe('uploading');
    expect(service.arrivals).toHaveLength(1);
    harness.gateway.resume();
    const again = await service.next();
    expect((await harness.repositories.videos.get(id)).job.problem).toBeNull();
    again.connection.send(jsonAnswer(200, { file_url: 'https://files.example.com/fox.png' }));
    const submitted = await service.next();
    const heads = [upload, again, submitted].map(({ head }) => head.split('\r\n')[0]);
    expect(heads).toEqual([
      'POST /v1/files HTTP/1.1',
      'POST /v1/files HTTP/1.1',
      'POST /v1/videos HTTP/1.1',
    ]);
  });
});

shared('however often it is paused and resumed, the latest word counts', async ({ harness }) => {
  const acts = array(constantFrom('pause', 'resume', 'ask'), { maxLength: 8 });
  const reported: string[] = [];
  const stop = harness.gateway.on(
    (event) => void (event.kind === 'changed' && reported.push(event.topic)),
  );
  await assert(
    asyncProperty(acts, async (sequence) => {
      harness.gateway.resume();
      reported.length = 0;
      let paused = false;
      let flips = 0;
      for (const act of sequence) {
        if (act === 'ask') {
          const { status } = await sendRequest(harness, { path: '/v1/models' });
          expect(status).toBe(paused ? 503 : 200);
          continue;
        }
        if (paused !== (act === 'pause')) flips += 1;
        paused = act === 'pause';
        harness.gateway[act]();
      }
      expect((await harness.gateway.status()).paused).toBe(paused);
      expect(reported.filter((what) => what === 'status')).toHaveLength(flips);
    }),
    { numRuns: 25 },
  );
  stop();
  harness.gateway.resume();
});

test.each([
  [true, 0],
  [false, 1],
])('with a pause (%s) the first model list is asked for %i times', async (paused, times) => {
  const { promise: connected, resolve } = Promise.withResolvers<void>();
  const asked: string[] = [];
  await using service = await openUpstream({
    onConnection: (socket) => {
      resolve();
      socket.on('data', (bytes) => {
        asked.push(bytes.toString('latin1').split('\r\n')[0] ?? '');
        socket.end(jsonAnswer(200, { data: [{ id: 'm' }] }));
      });
    },
  });
  await using harness = await startHarness({ baseUrl: service.url });
  const { gateway } = harness;
  if (paused) gateway.pause();
  gateway.prepare();
  await connected;
  // The list is asked for once the connection is open on this side, too.
  await sendRequest(harness, { path: '/health' });
  await sendRequest(harness, { path: '/health' });
  expect(asked).toEqual(Array.from({ length: times }, () => 'GET /v1/models HTTP/1.1'));
});
