import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arrivedAt, latestAt, valuesOf } from '../kit/arrived.ts';
import { type House, startHouse } from '../kit/house.ts';
import { ask, begin, type Door } from '../kit/request.ts';
import { startScriptedHouse } from '../kit/scripted-house.ts';
import { jsonAnswer } from '../kit/upstream.ts';
import {
  nextPost,
  orderAsk,
  orderOf,
  ordersAt,
  postsAt,
  sendOrder,
  taskIn,
  uploadPicture,
} from '../kit/video-order.ts';
import type { Wire } from '../kit/wire.ts';
import { takeAnswer } from '../kit/wire-answer.ts';
import { expectOurs } from './answers/ours.ts';

const REPLAYED = 'x-gatehouse-replayed';

describe('The same order again', () => {
  test('gets the first answer, is sent nowhere, and is recorded as answered here', async () => {
    await using house = await startHouse();
    const order = orderOf(await uploadPicture(house));
    const first = await sendOrder(house, order);
    const again = await sendOrder(house, order);
    expect(again.status).toBe(200);
    expect(again.body).toBe(first.body);
    expect(first.headers.get(REPLAYED)).toBeUndefined();
    expect(Number(again.headers.get(REPLAYED))).toBeLessThan(60);
    expect(house.sandbox.charges).toBe(1);
    expect(ordersAt(house)).toBe(1);
    expect(await house.recordOf(again.headers.get('x-gatehouse-exchange'))).toMatchObject({
      route: 'video-submit',
      status: 200,
      endedBy: 'gateway',
      errorCode: null,
      attempts: 0,
      pathSent: null,
      bytesOut: first.body.length,
    });
  });

  test('is recognised whatever its bytes are, as long as they are equal as JSON', async () => {
    await using house = await startHouse();
    const order = orderOf(await uploadPicture(house));
    const first = await sendOrder(house, order);
    await fc.assert(
      fc.asyncProperty(spellings(order), async (body) => {
        expect((await sendOrder(house, body)).body).toBe(first.body);
      }),
      { numRuns: 30 },
    );
    expect(ordersAt(house)).toBe(1);
  });

  test('is another one as soon as a single value differs, or the client does', async () => {
    await using house = await startHouse();
    const order = orderOf(await uploadPicture(house));
    const { key: localKey } = await house.rooms.clients.add('Other');
    const answers = [
      await sendOrder(house, order),
      await sendOrder(house, { ...order, seconds: '2' }),
      await sendOrder(house, { ...order, extra: null }),
      await sendOrder({ port: house.port, localKey }, order),
    ];
    expect(new Set(answers.map(taskIn)).size).toBe(4);
    expect(house.sandbox.charges).toBe(4);
  });

  test.for([['x-gatehouse-allow-duplicate: 1'], ['idempotency-key: second']])(
    'with %s is meant, and sent',
    async ([line = '']) => {
      await using house = await startHouse();
      const order = orderOf(await uploadPicture(house));
      const first = await sendOrder(house, order);
      const second = await sendOrder(house, order, [line]);
      expect(taskIn(second)).not.toBe(taskIn(first));
      expect(second.headers.get(REPLAYED)).toBeUndefined();
      const { rawHeaders } = latestAt(house);
      expect(valuesOf(rawHeaders, 'x-gatehouse-allow-duplicate')).toEqual([]);
      expect(valuesOf(rawHeaders, 'idempotency-key')).toHaveLength(line.startsWith('i') ? 1 : 0);
    },
  );

  test('is recognised in strict mode, too', async () => {
    await using house = await startHouse({ strict: true });
    const order = orderOf(await uploadPicture(house));
    const first = await sendOrder(house, order);
    const again = await sendOrder(house, order);
    expect(again.body).toBe(first.body);
    expect(house.sandbox.charges).toBe(1);
  });
});

describe('Two of the same order at the same moment', () => {
  test('become one, and both get its answer', async () => {
    await using scripted = await startScriptedHouse();
    const { house, upstream } = scripted;
    const first = await begin(house, orderAsk(orderOf('u')));
    const arrival = await upstream.next();
    const second = await begin(house, orderAsk(orderOf('u')));
    arrival.wire.send(jsonAnswer(200, { id: 'task-1', status: 'queued' }));
    const answers = [await takeAnswer(first), await takeAnswer(second)];
    expect(answers.map(({ body }) => body)).toEqual([
      '{"id":"task-1","status":"queued"}',
      '{"id":"task-1","status":"queued"}',
    ]);
    expect(answers[1]?.headers.has(REPLAYED)).toBe(true);
    expect(postsAt(upstream)).toHaveLength(1);
  });

  test('become one also when the first caller leaves: its order goes on for the second', async () => {
    await using scripted = await startScriptedHouse();
    const { house, upstream } = scripted;
    const first = await begin(house, orderAsk(orderOf('u')));
    const arrival = await upstream.next();
    const second = await begin(house, orderAsk(orderOf('u')));
    await leave(first, house);
    arrival.wire.send(jsonAnswer(200, { id: 'task-1' }));
    expect((await takeAnswer(second)).body).toBe('{"id":"task-1"}');
    expect(postsAt(upstream)).toHaveLength(1);
    const records = await house.recorded(2);
    expect(records.map(({ endedBy }) => endedBy).toSorted()).toEqual(['client', 'gateway']);
  });
});

describe('A client that leaves', () => {
  test('does not call its order back: whoever sends it again gets the answer', async () => {
    await using scripted = await startScriptedHouse();
    const { house, upstream } = scripted;
    const leaving = await begin(house, orderAsk(orderOf('u')));
    const { wire } = await upstream.next();
    await leave(leaving, house);
    const again = sendOrder(house, orderOf('u'));
    wire.send(jsonAnswer(200, { id: 'task-9' }));
    expect((await again).body).toBe('{"id":"task-9"}');
    const [, left] = await house.recorded(2);
    expect(left).toMatchObject({ endedBy: 'client', status: 200, attempts: 1 });
  });
});

describe('An order whose outcome nobody knows', () => {
  test.for(['lost-answer', 'cut-stream', 'error-500', 'slow-first-byte=50'] as const)(
    'is sent once: %s',
    async (scenario) => {
      await using house = await startHouse();
      const order = orderOf(await uploadPicture(house));
      const lines = [`x-sandbox-scenario: ${scenario}`];
      const first = await sendOrder(house, order, lines);
      const again = await sendOrder(house, order, lines);
      expect(ordersAt(house)).toBe(1);
      if (scenario.startsWith('slow')) {
        expect(again.body).toBe(first.body);
        return;
      }
      expect(first.headers.get('x-should-retry')).toBe('false');
      expect(again.headers.get('x-should-retry')).toBe('false');
      await expectOurs(house, again, { code: 'order_unsure' });
      expect(again.body).toMatch(/x-gatehouse-allow-duplicate: 1.*Idempotency-Key/u);
      const meant = await sendOrder(house, order, ['x-gatehouse-allow-duplicate: 1']);
      expect(meant.status).toBe(200);
    },
  );

  test('is told of to the one who waits for it', async () => {
    await using scripted = await startScriptedHouse();
    const { house, upstream } = scripted;
    const first = await begin(house, orderAsk(orderOf('u')));
    const arrival = await upstream.next();
    const second = await begin(house, orderAsk(orderOf('u')));
    arrival.wire.socket.destroy();
    expect((await takeAnswer(first)).status).toBe(502);
    await expectOurs(house, await takeAnswer(second), { code: 'order_unsure' });
    expect(postsAt(upstream)).toHaveLength(1);
  });

  test('is one whose answer is too long to be kept: the client gets all of it', async () => {
    await using scripted = await startScriptedHouse();
    const { house, upstream } = scripted;
    const asked = sendOrder(house, orderOf('u'));
    const { wire } = await upstream.next();
    wire.send(jsonAnswer(200, { id: 'task-1', log: 'x'.repeat(5 * 1024 * 1024) }));
    expect((await asked).body.length).toBeGreaterThan(5 * 1024 * 1024);
    expect((await sendOrder(house, orderOf('u'))).status).toBe(409);
    expect(postsAt(upstream)).toHaveLength(1);
  });
});

describe('A gateway that ends while an order is on its way', () => {
  test('waits for its answer, also when nobody else does', async () => {
    await using scripted = await startScriptedHouse();
    const { house, upstream } = scripted;
    const client = await begin(house, orderAsk(orderOf('u')));
    const { wire } = await upstream.next();
    await leave(client, house);
    const closing = house.gateway.close(60_000);
    wire.send(jsonAnswer(200, { id: 'task-1' }));
    await closing;
    const [record] = await house.recorded(1);
    expect(record).toMatchObject({ route: 'video-submit', status: 200, endedBy: 'client' });
  });

  test('gives up when its time is over', async () => {
    await using scripted = await startScriptedHouse();
    const { house, upstream } = scripted;
    const client = await begin(house, orderAsk(orderOf('u')));
    const { wire } = await upstream.next();
    await house.gateway.close(50);
    await Promise.all([wire.closed, client.closed]);
    const [record] = await house.recorded(1);
    expect(record).toMatchObject({
      route: 'video-submit',
      status: null,
      endedBy: 'gateway',
      errorCode: 'shutting_down',
    });
  });
});

describe('An order that was refused', () => {
  test.for([
    ['429', 'rate-limit-forever', 429, 3],
    ['403', 'forbidden', 403, 1],
  ] as const)('with %s is forgotten: the next one is sent', async ([, scenario, status, sent]) => {
    await using house = await startHouse();
    const order = orderOf(await uploadPicture(house));
    const refused = await sendOrder(house, order, [`x-sandbox-scenario: ${scenario}`]);
    expect(refused.status).toBe(status);
    expect(refused.headers.get('x-should-retry')).toBeUndefined();
    expect(ordersAt(house)).toBe(sent);
    expect((await sendOrder(house, order)).status).toBe(200);
    expect(ordersAt(house)).toBe(sent + 1);
    expect(house.sandbox.charges).toBe(1);
  });

  test('before a byte of it left is forgotten, too', async () => {
    await using scripted = await startScriptedHouse();
    const { house, upstream } = scripted;
    await upstream[Symbol.asyncDispose]();
    for (const time of [1, 2]) {
      const answer = await sendOrder(house, orderOf('u'));
      const record = await expectOurs(house, answer, {
        code: 'upstream_unreachable',
        by: 'service',
      });
      expect(record.attempts, `time ${time}`).toBeGreaterThan(0);
    }
  });
});

const THROTTLED = jsonAnswer(429, { error: { message: 'Slow down.', code: 'rate_limit' } });
const BUSY_FOR_15 = jsonAnswer(429, { error: { message: 'Slow down.' } }, ['Retry-After: 15']);

describe('An order that the service turns away with 429', () => {
  test('is sent again, is one video, and its client sees only the good answer', async () => {
    await using scripted = await startScriptedHouse();
    const { house, upstream } = scripted;
    const client = await begin(house, orderAsk(orderOf('u')));
    const first = await upstream.next();
    first.wire.send(THROTTLED);
    const second = await upstream.next();
    expect(second.body).toBe(first.body);
    second.wire.send(jsonAnswer(200, { id: 'task-1', status: 'queued' }));
    const answer = await takeAnswer(client);
    expect([answer.status, answer.body]).toEqual([200, '{"id":"task-1","status":"queued"}']);
    const [record] = await house.recorded(1);
    expect(record).toMatchObject({ attempts: 2, status: 200, errorCode: null });
    expect((await sendOrder(house, orderOf('u'))).body).toBe(answer.body);
    expect(await jobsIn(house)).toBe(1);
  });

  test('is not sent again when its client leaves before that, and is forgotten', async () => {
    await using scripted = await startScriptedHouse();
    const { house, upstream } = scripted;
    const client = await begin(house, orderAsk(orderOf('u')));
    (await upstream.next()).wire.send(BUSY_FOR_15);
    await leave(client, house);
    const [record] = await house.recorded(1);
    expect(record).toMatchObject({ endedBy: 'client', attempts: 1 });
    expect(upstream.arrivals).toHaveLength(1);
    expect(await jobsIn(house)).toBe(0);
  });

  test('is not sent again once it is paused: the client gets the 429', async () => {
    await using scripted = await startScriptedHouse();
    const { house, upstream } = scripted;
    const client = await begin(house, orderAsk(orderOf('u')));
    (await upstream.next()).wire.send(THROTTLED);
    house.gateway.pause();
    expect((await takeAnswer(client)).status).toBe(429);
    expect(upstream.arrivals).toHaveLength(1);
    expect(await jobsIn(house)).toBe(0);
  });
});

test('an order that cannot be written to disk does not leave', async () => {
  await using house = await startHouse();
  const order = orderOf(await uploadPicture(house));
  await house.rooms.store.close();
  const answer = await sendOrder(house, order);
  expect(answer.status).toBe(503);
  expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'order_not_kept' } });
  expect(ordersAt(house)).toBe(0);
});

describe('What looks like an order', () => {
  test.for([false, true])(
    'and cannot be read is refused with the reason, with --strict: %s',
    async (strict) => {
      await using house = await startHouse({ strict });
      const wrong = { ...orderOf('u'), seconds: Number.NaN };
      const bodies = [
        '{"model":"h3",',
        '{"model":"h3","seconds":NaN}',
        '{"model":"h3",}',
        'model=h3&prompt=cat',
        Buffer.from(JSON.stringify(wrong), 'utf16le').subarray(1),
        Buffer.from([0x22, 0xff, 0x22]),
      ];
      for (const body of bodies) {
        const answer = await ask(house, { ...orderAsk(''), body });
        await expectOurs(house, answer, { code: 'undecodable_body' });
        expect(answer.body).toMatch(/is not (?:JSON|valid UTF-).*was not sent/u);
      }
      const packed = await ask(house, { ...orderAsk('{}', ['content-encoding: gzip']) });
      await expectOurs(house, packed, { code: 'undecodable_body' });
      expect(arrivedAt(house)).toHaveLength(0);
    },
  );

  test('and can be read is judged by the service, which refuses it as often as it comes', async () => {
    await using house = await startHouse();
    const bodies = ['[1]', '"x"', '{}', Buffer.from(JSON.stringify(orderOf('u')), 'utf16le')];
    for (const body of bodies) {
      for (let time = 0; time < 2; time += 1) {
        expect((await ask(house, { ...orderAsk(''), body })).status).toBe(400);
      }
    }
    expect(arrivedAt(house)).toHaveLength(8);
  });

  test.for([false, true])(
    'is one however its address is spelled, with --strict: %s',
    async (strict) => {
      await using scripted = await startScriptedHouse({ strict });
      const { house, upstream } = scripted;
      const first = sendOrder(house, orderOf('u'));
      const { wire } = await upstream.next();
      wire.send(jsonAnswer(200, { id: 'task-1' }));
      await first;
      const plain = ['/v1//videos', '/v1/Videos', '/v1/videos?a=1'];
      const odd = [
        '/v1/%76ideos',
        '/v1/videos;a=1',
        '/v1/videos%2F',
        '/v1/%2576ideos',
        '/v1/%e2%80%8bvideos',
        '/v1/vid%c2%adeos',
      ];
      for (const path of [...plain, ...odd]) {
        const answer = await ask(house, { ...orderAsk(orderOf('u')), path });
        expect(answer.body, path).toBe('{"id":"task-1"}');
      }
      expect(postsAt(upstream)).toEqual(['/v1/videos']);
    },
  );

  test.for(['/v1/videos/t1/remix', '/v1/videos/edits', '/v1/videos/t1/cancel'])(
    'is whatever is posted below the videos, each address for itself: %s',
    async (path) => {
      await using scripted = await startScriptedHouse();
      const { house, upstream } = scripted;
      const remix = { ...orderAsk({ prompt: 'A cat' }), path };
      const first = await begin(house, remix);
      const { wire } = await upstream.next();
      const second = begin(house, remix);
      wire.send(jsonAnswer(200, { id: 'task-2' }));
      const answers = [await takeAnswer(first), await takeAnswer(await second)];
      expect(answers.map(({ body }) => body)).toEqual(['{"id":"task-2"}', '{"id":"task-2"}']);
      const other = ask(house, { ...remix, path: path.replace(/videos/u, 'videos/t2') });
      const elsewhere = await nextPost(upstream);
      elsewhere.wire.send(jsonAnswer(500, { error: { message: 'Broken.' } }));
      expect((await other).headers.get('x-should-retry')).toBe('false');
      expect(postsAt(upstream)).toHaveLength(2);
    },
  );

  test('is one without a body, too', async () => {
    await using scripted = await startScriptedHouse();
    const { house, upstream } = scripted;
    const remix = { method: 'POST', path: '/v1/videos/t1/remix' };
    const first = ask(house, remix);
    const { wire } = await upstream.next();
    wire.send(jsonAnswer(200, { id: 'task-2' }));
    expect((await first).body).toBe('{"id":"task-2"}');
    expect((await ask(house, remix)).headers.has(REPLAYED)).toBe(true);
    expect(postsAt(upstream)).toHaveLength(1);
  });
});

describe('In strict mode', () => {
  test('a form and a packed body leave byte for byte, and once', async () => {
    await using scripted = await startScriptedHouse({ strict: true });
    const { house, upstream } = scripted;
    const form = '--b\r\ncontent-disposition: form-data; name="prompt"\r\n\r\nA cat\r\n--b--\r\n';
    const text = JSON.stringify(orderOf('u'));
    const bodies = [
      { lines: ['content-type: multipart/form-data; boundary=b'], body: Buffer.from(form) },
      {
        lines: ['content-type: application/json', 'content-encoding: gzip'],
        body: gzipSync(text),
      },
    ];
    for (const { lines, body } of bodies) {
      const order = { path: '/v1/videos', headers: lines, body };
      const first = ask(house, order);
      const arrival = await nextPost(upstream);
      expect(Buffer.from(arrival.body, 'latin1')).toEqual(body);
      arrival.wire.send(jsonAnswer(500, { error: { message: 'Broken.' } }));
      expect((await first).headers.get('x-should-retry')).toBe('false');
      expect((await ask(house, order)).status).toBe(409);
    }
    // The same, packed in another way.
    const plain = await sendOrder(house, text);
    expect(plain.status).toBe(409);
    expect(postsAt(upstream)).toHaveLength(2);
  });
});

test('the answer of an order arrives byte for byte as it came, compressed or not', async () => {
  await using house = await startHouse();
  const order = orderOf(await uploadPicture(house));
  const lines = ['x-sandbox-scenario: gzip', 'accept-encoding: gzip'];
  const packed = await sendOrder(house, order, lines);
  expect(packed.headers.get('content-encoding')).toBe('gzip');
  const plain = await sendOrder(house, order, lines);
  expect(plain.headers.has('content-encoding')).toBe(false);
  expect(taskIn(plain)).toMatch(/^task-/);
});

describe('Polls', () => {
  test('that come faster than every five seconds get the latest answer again', async () => {
    await using house = await startHouse();
    const id = taskIn(await sendOrder(house, orderOf(await uploadPicture(house))));
    const first = await ask(house, { path: `/v1/videos/${id}` });
    const polls = polled(house);
    const again = await ask(house, { path: `/v1/videos/${id}` });
    expect(again.body).toBe(first.body);
    expect(Number(again.headers.get(REPLAYED))).toBeLessThan(5);
    expect(polled(house)).toBe(polls);
    expect(await house.recordOf(again.headers.get('x-gatehouse-exchange'))).toMatchObject({
      route: 'video-status',
      endedBy: 'gateway',
      attempts: 0,
    });
  });

  test('with a query, or for the head only, go to the service', async () => {
    await using house = await startHouse();
    const id = taskIn(await sendOrder(house, orderOf(await uploadPicture(house))));
    await ask(house, { path: `/v1/videos/${id}` });
    const polls = polled(house);
    await ask(house, { path: `/v1/videos/${id}?expand=1` });
    await ask(house, { method: 'HEAD', path: `/v1/videos/${id}` });
    expect(polled(house)).toBe(polls + 2);
  });
});

/** Hangs up. The gateway has noticed by the time it has answered somebody else. */
async function leave(client: Wire, house: Door): Promise<void> {
  client.socket.destroy();
  await client.closed;
  await ask(house, { path: '/health' });
}

/** How many videos stand in the queue, whatever became of them. */
async function jobsIn({ rooms }: House): Promise<number> {
  return (await rooms.store.db.selectFrom('video_job').select('id').execute()).length;
}

function polled(house: Parameters<typeof arrivedAt>[0]): number {
  return arrivedAt(house).filter(({ url }) => url.startsWith('/v1/videos/')).length;
}

/** The same object written in other ways: order of its members, white space, escapes. */
function spellings(order: object): fc.Arbitrary<string> {
  const entries = Object.entries(order);
  return fc
    .tuple(
      fc.shuffledSubarray(entries, { minLength: entries.length }),
      fc.constantFrom('', ' ', '\n\t', '\r\n  '),
      fc.boolean(),
    )
    .map(([members, space, escaped]) => {
      const text = JSON.stringify(Object.fromEntries(members), null, space);
      return escaped ? `${space}${text.replaceAll('cat', '\\u0063at')}${space}` : text;
    });
}
