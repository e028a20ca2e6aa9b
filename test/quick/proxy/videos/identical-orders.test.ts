import { assert, describe, expect, test } from 'vitest';
import { type Harness, startHarness } from '../../../kit/gateway/harness.ts';
import { beginRequest } from '../../../kit/gateway/request.ts';
import { startScriptedHarness } from '../../../kit/gateway/scripted-harness.ts';
import {
  type ArrivedRequest,
  jsonAnswer,
  openUpstream,
} from '../../../kit/net/scripted-upstream.ts';
import {
  nextPost,
  orderRequest,
  orderBody,
  countOrders,
  postTargets,
  sendOrder,
  uploadPicture,
} from '../../../kit/videos/video-order.ts';
import type { RawConnection } from '../../../kit/net/raw-connection.ts';
import { readWholeAnswer } from '../../../kit/net/read-answer.ts';

const REPLAYED = 'x-gatehouse-replayed';
const TEN_MINUTES = 10 * 60_000;

describe('Identical concurrent orders', () => {
  test('are sent once when the gateway has just started and has no model list yet', async () => {
    await using harness = await startHarness();
    const order = orderBody(await uploadPicture(harness));
    const answers = await Promise.all(Array.from({ length: 8 }, () => sendOrder(harness, order)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body}`)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.has(REPLAYED))).toHaveLength(7);
    expect(countOrders(harness)).toBe(1);
  });

  test.for([
    [3, 429],
    [10, 429],
    [3, 400],
    [10, 400],
  ] as const)(
    'are sent one at a time: of %i that wait for one that gets %i, exactly one is sent',
    async ([count, status]) => {
      await using scripted = await startScriptedHarness();
      const { harness, upstream } = scripted;
      const first = await beginRequest(harness, orderRequest(orderBody('u')));
      const refused = await nextPost(upstream);
      const behind = await sendIdenticalOrders(harness, count);
      refused.connection.send(jsonAnswer(status, { error: { message: 'No.', code: 'no' } }));
      const taken = await nextPost(upstream);
      taken.connection.send(jsonAnswer(200, { id: 'task-1' }));
      const { status: firstStatus } = await readWholeAnswer(first);
      // After 429 the first one is retried automatically, and finds that it was ordered meanwhile.
      expect(firstStatus).toBe(status === 429 ? 200 : status);
      const answers = await Promise.all(behind.map(readWholeAnswer));
      expect(answers.map(({ body }) => body)).toEqual(behind.map(() => '{"id":"task-1"}'));
      expect(answers.filter(({ headers }) => headers.has(REPLAYED))).toHaveLength(count - 1);
      expect(postTargets(upstream)).toHaveLength(2);
    },
  );

  test('are each sent after a refusal: every client gets its own refusal', async () => {
    await using scripted = await startScriptedHarness();
    const { harness, upstream } = scripted;
    const connections = [await beginRequest(harness, orderRequest(orderBody('u')))];
    let arrival: ArrivedRequest = await nextPost(upstream);
    connections.push(...(await sendIdenticalOrders(harness, 4)));
    for (let number = 0; number < connections.length; number += 1) {
      expect(postTargets(upstream)).toHaveLength(number + 1);
      arrival.connection.send(jsonAnswer(403, { error: { message: `No ${number}.`, code: 'no' } }));
      if (number + 1 < connections.length) arrival = await nextPost(upstream);
    }
    const answers = await Promise.all(connections.map(readWholeAnswer));
    expect(new Set(answers.map(({ body }) => body)).size).toBe(connections.length);
    expect(answers.map(({ status }) => status)).toEqual(connections.map(() => 403));
  });

  test('are recognised although the model name is repaired in the second one only', async () => {
    await using upstream = await openUpstream();
    await using harness = await startHarness({ baseUrl: upstream.url });
    const order = { ...orderBody('u'), model: 'h3' };
    const first = await beginRequest(harness, orderRequest(order));
    const taken = await answerModelLists(
      upstream,
      jsonAnswer(500, { error: { message: 'Not yet.' } }),
    );
    expect(JSON.parse(taken.body)).toMatchObject({ model: 'h3' });
    const models = beginRequest(harness, { path: '/v1/models' });
    const asked = await upstream.next();
    asked.connection.send(jsonAnswer(200, { object: 'list', data: [{ id: 'vendor/h3' }] }));
    expect((await readWholeAnswer(await models)).status).toBe(200);
    const [second] = await sendIdenticalOrders(harness, 1, order);
    assert(second);
    taken.connection.send(jsonAnswer(200, { id: 'task-1' }));
    expect((await readWholeAnswer(first)).body).toBe('{"id":"task-1"}');
    expect((await readWholeAnswer(second)).body).toBe('{"id":"task-1"}');
    expect(postTargets(upstream)).toHaveLength(1);
  });
});

describe('The ten minutes in which an order is recognised', () => {
  test('do not begin while the order is running: a waiting client gets its answer', async () => {
    let ahead = 0;
    await using scripted = await startScriptedHarness({ now: () => Date.now() + ahead });
    const { harness, upstream } = scripted;
    const first = await beginRequest(harness, orderRequest(orderBody('u')));
    const { connection } = await nextPost(upstream);
    const [second] = await sendIdenticalOrders(harness, 1);
    assert(second);
    ahead = TEN_MINUTES + 60_000;
    const [third] = await sendIdenticalOrders(harness, 1);
    assert(third);
    connection.send(jsonAnswer(200, { id: 'task-1' }));
    for (const twin of [first, second, third]) {
      expect((await readWholeAnswer(twin)).body).toBe('{"id":"task-1"}');
    }
    ahead += TEN_MINUTES - 60_000;
    expect((await sendOrder(harness, orderBody('u'))).body).toBe('{"id":"task-1"}');
    expect(postTargets(upstream)).toHaveLength(1);
  });

  test('do not end for waiting and later clients when the clock is set back', async () => {
    let ahead = 0;
    await using scripted = await startScriptedHarness({ now: () => Date.now() + ahead });
    const { harness, upstream } = scripted;
    const first = await beginRequest(harness, orderRequest(orderBody('u')));
    const { connection } = await nextPost(upstream);
    const [second] = await sendIdenticalOrders(harness, 1);
    assert(second);
    ahead = -24 * 3_600_000;
    connection.send(jsonAnswer(200, { id: 'task-1' }));
    for (const twin of [first, second]) {
      expect((await readWholeAnswer(twin)).body).toBe('{"id":"task-1"}');
    }
    ahead = -48 * 3_600_000;
    expect((await sendOrder(harness, orderBody('u'))).body).toBe('{"id":"task-1"}');
    expect(postTargets(upstream)).toHaveLength(1);
  });

  test('never end for an order with unknown outcome', async () => {
    let ahead = 0;
    await using scripted = await startScriptedHarness({ now: () => Date.now() + ahead });
    const { harness, upstream } = scripted;
    const first = await beginRequest(harness, orderRequest(orderBody('u')));
    const { connection } = await nextPost(upstream);
    connection.socket.destroy();
    expect((await readWholeAnswer(first)).status).toBe(502);
    for (const days of [1, 100]) {
      ahead = days * 24 * 3_600_000;
      // Orders of other clients must not evict it.
      const other = beginRequest(harness, orderRequest(orderBody('u', `Other ${days}`)));
      const { connection: otherWire } = await nextPost(upstream);
      otherWire.send(jsonAnswer(200, { id: `task-${days}` }));
      expect((await readWholeAnswer(await other)).status).toBe(200);
      expect((await sendOrder(harness, orderBody('u'))).status).toBe(409);
    }
    expect(postTargets(upstream)).toHaveLength(3);
  });
});

test.for([408, 409, 499] as const)(
  'an order that gets %i has an unknown outcome',
  async (status) => {
    await using scripted = await startScriptedHarness();
    const { harness, upstream } = scripted;
    const first = sendOrder(harness, orderBody('u'));
    const { connection } = await nextPost(upstream);
    connection.send(jsonAnswer(status, { error: { message: 'Hm.', code: 'hm' } }));
    const answer = await first;
    expect(answer.status).toBe(status);
    expect(answer.headers.get('x-should-retry')).toBe('false');
    const again = await sendOrder(harness, orderBody('u'));
    expect(JSON.parse(again.body)).toMatchObject({ error: { code: 'order_unsure' } });
    expect(postTargets(upstream)).toHaveLength(1);
  },
);

/** Sends more identical orders and waits until the gateway has received each. */
async function sendIdenticalOrders(
  harness: Harness,
  count: number,
  order: object = orderBody('u'),
) {
  const { exchanges } = harness.gateway.runningExchanges();
  const before = exchanges.length;
  const connections: RawConnection[] = [];
  for (let number = 0; number < count; number += 1) {
    connections.push(await beginRequest(harness, orderRequest(order)));
  }
  await waitForRunning(harness, before + count);
  return connections;
}

/** Resolves when `count` exchanges are running. */
async function waitForRunning({ gateway }: Harness, count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => {
    if (gateway.runningExchanges().total >= count) resolve();
  };
  const stop = gateway.on(look);
  look();
  await promise;
  stop();
}

/** Answers requests for the model list until an order arrives. */
async function answerModelLists(
  upstream: { next(): Promise<ArrivedRequest> },
  answer: string,
): Promise<ArrivedRequest> {
  for (;;) {
    const arrival = await upstream.next();
    if (!arrival.head.startsWith('GET /v1/models ')) return arrival;
    arrival.connection.send(answer);
  }
}
