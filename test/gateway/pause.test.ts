import { array, assert, asyncProperty, constantFrom } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arrivedAt } from '../kit/arrived.ts';
import { testsIn } from '../kit/house-test.ts';
import { ask, begin, question } from '../kit/request.ts';
import { jsonAnswer, openUpstream } from '../kit/upstream.ts';
import { orderAsk, orderOf, sendOrder, taskIn, uploadPicture } from '../kit/video-order.ts';
import { expectOurs } from '../proxy/answers/ours.ts';
import { order, startQuickHouse } from '../videos/queue.ts';

const shared = testsIn();
const CAT = 'https://files.example.com/cat.png';
const UPLOAD = { path: '/v1/files', headers: ['Content-Type: text/plain'], body: 'a cat' };

describe('While Gatehouse is paused', () => {
  shared.for([
    ['a chat', question('chat'), undefined],
    ['a stream', question('responses', { stream: true }), undefined],
    ['a message', question('messages'), 'messages'],
    ['the list of models', { path: '/v1/models' }, undefined],
    ['an upload', UPLOAD, undefined],
    ['the order of a video', orderAsk(orderOf(CAT)), undefined],
    ['a question about a video', { path: '/v1/videos/unknown' }, undefined],
  ] as const)('%s is refused, and nothing is sent', async ([, what, shape], { house }) => {
    const before = arrivedAt(house).length;
    house.gateway.pause();
    const answer = await ask(house, what);
    house.gateway.resume();
    const record = await expectOurs(house, answer, {
      code: 'paused',
      ...(shape === undefined ? {} : { shape }),
    });
    expect(answer.body).toContain('Resume it in its tray menu or its window.');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(answer.headers.get('x-should-retry')).toBeUndefined();
    expect(record.attempts).toBe(0);
    expect(arrivedAt(house)).toHaveLength(before);
    expect(await house.gateway.status()).toMatchObject({ lastError: null });
  });

  shared('probes are answered, and whoever has no key hears that first', async ({ house }) => {
    house.gateway.pause();
    expect((await ask(house, { path: '/health' })).status).toBe(200);
    const stranger = { port: house.port, localKey: 'gh-wrong' };
    expect((await ask(stranger, question('chat'))).status).toBe(401);
    house.gateway.resume();
  });

  shared('what runs goes on to its end', async ({ house }) => {
    const headers = ['x-sandbox-scenario: slow-stream=20'];
    const client = await begin(house, question('chat', { stream: true, headers }));
    await client.head();
    house.gateway.pause();
    expect(await client.rest()).toContain('data: [DONE]');
    house.gateway.resume();
  });

  shared('the latest answer about a video is given again', async ({ house }) => {
    const taskId = taskIn(
      await sendOrder(
        house,
        orderOf(await uploadPicture(house), 'A cat. [scenario render-ms=60000]'),
      ),
    );
    const path = `/v1/videos/${taskId}`;
    expect((await ask(house, { path })).status).toBe(200);
    house.gateway.pause();
    const again = await ask(house, { path });
    house.gateway.resume();
    expect(again.status).toBe(200);
    expect(again.headers.get('x-gatehouse-replayed')).toBeDefined();
  });

  test('no video is ordered, those under way are looked after, and the rest comes later', async () => {
    await using service = await openUpstream({ models: ['h3'] });
    await using house = await startQuickHouse({ baseUrl: service.url, serviceKey: 'sk-any-key' });
    const first = await order(house, 'A fox.', { image: null });
    (await service.next()).wire.send(jsonAnswer(200, { task_id: 'task-1' }));
    // The render lasts until the questions about it are answered.
    let asked = await service.next();
    house.gateway.pause();
    const second = await order(house, 'A hare.', { image: null });
    while (asked.head.startsWith('GET /v1/videos/task-1 ')) {
      asked.wire.send(jsonAnswer(200, { task_id: 'task-1', status: 'completed' }));
      asked = await service.next();
    }
    expect(asked.head).toMatch(/^GET \/v1\/videos\/task-1\/content /);
    expect((await house.rooms.videos.get(second.id)).job.state).toBe('waiting');
    house.gateway.resume();
    const ordered = await service.next();
    expect(ordered.head).toMatch(/^POST \/v1\/videos /);
    expect(ordered.body).toContain('A hare.');
    expect((await house.rooms.videos.get(first.id)).job.state).toBe('downloading');
    const orders = service.arrivals.filter(({ head }) => head.startsWith('POST'));
    expect(orders).toHaveLength(2);
  });

  test('an upload that would lead to an order is stopped, made anew later, and ordered once', async () => {
    await using service = await openUpstream();
    await using house = await startQuickHouse({ baseUrl: service.url, serviceKey: 'sk-any-key' });
    const { id } = await order(house, 'A fox.');
    const upload = await service.next();
    house.gateway.pause();
    await upload.wire.closed;
    // Another one makes the queue look at all of them.
    const other = await order(house, 'A hare.');
    await house.rooms.videos.act(other.id, { act: 'cancel' });
    expect((await house.rooms.videos.get(id)).job.state).toBe('uploading');
    expect(service.arrivals).toHaveLength(1);
    house.gateway.resume();
    const again = await service.next();
    expect((await house.rooms.videos.get(id)).job.problem).toBeNull();
    again.wire.send(jsonAnswer(200, { file_url: 'https://files.example.com/fox.png' }));
    const submitted = await service.next();
    const heads = [upload, again, submitted].map(({ head }) => head.split('\r\n')[0]);
    expect(heads).toEqual([
      'POST /v1/files HTTP/1.1',
      'POST /v1/files HTTP/1.1',
      'POST /v1/videos HTTP/1.1',
    ]);
  });
});

shared('however often it is paused and resumed, the latest word counts', async ({ house }) => {
  const acts = array(constantFrom('pause', 'resume', 'ask'), { maxLength: 8 });
  const told: string[] = [];
  const stop = house.gateway.on(
    (event) => void (event.kind === 'changed' && told.push(event.what)),
  );
  await assert(
    asyncProperty(acts, async (sequence) => {
      house.gateway.resume();
      told.length = 0;
      let paused = false;
      let flips = 0;
      for (const act of sequence) {
        if (act === 'ask') {
          const { status } = await ask(house, { path: '/v1/models' });
          expect(status).toBe(paused ? 503 : 200);
          continue;
        }
        if (paused !== (act === 'pause')) flips += 1;
        paused = act === 'pause';
        house.gateway[act]();
      }
      expect((await house.gateway.status()).paused).toBe(paused);
      expect(told.filter((what) => what === 'status')).toHaveLength(flips);
    }),
    { numRuns: 25 },
  );
  stop();
  house.gateway.resume();
});
