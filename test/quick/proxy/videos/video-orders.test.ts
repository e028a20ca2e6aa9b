import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { requestsAt, latestRequest, headerValues } from '../../../kit/gateway/sandbox-requests.ts';
import { type Harness, startHarness } from '../../../kit/gateway/harness.ts';
import { sendRequest, beginRequest, type ClientTarget } from '../../../kit/gateway/request.ts';
import { startScriptedHarness } from '../../../kit/gateway/scripted-harness.ts';
import { jsonAnswer } from '../../../kit/net/scripted-upstream.ts';
import {
  nextPost,
  orderRequest,
  orderBody,
  countOrders,
  postTargets,
  sendOrder,
  readTaskId,
  uploadPicture,
} from '../../../kit/videos/video-order.ts';
import type { RawConnection } from '../../../kit/net/raw-connection.ts';
import { readWholeAnswer } from '../../../kit/net/read-answer.ts';
import { expectGatewayError } from '../../../kit/gateway/expect-gateway-error.ts';

const REPLAYED = 'x-gatehouse-replayed';

describe('A repeated order', () => {
  test('gets the first answer, is not sent, and is recorded as answered by Gatehouse', async () => {
    await using harness = await startHarness();
    const order = orderBody(await uploadPicture(harness));
    const first = await sendOrder(harness, order);
    const again = await sendOrder(harness, order);
    expect(again.status).toBe(200);
    expect(again.body).toBe(first.body);
    expect(first.headers.get(REPLAYED)).toBeUndefined();
    expect(Number(again.headers.get(REPLAYED))).toBeLessThan(60);
    expect(harness.sandbox.charges).toBe(1);
    expect(countOrders(harness)).toBe(1);
    expect(await harness.recordOf(again.headers.get('x-gatehouse-exchange'))).toMatchObject({
      route: 'video-submit',
      status: 200,
      endedBy: 'gateway',
      errorCode: null,
      attempts: 0,
      pathSent: null,
      bytesOut: first.body.length,
    });
  });

  test('is recognised if it is equal as JSON, whatever its bytes', async () => {
    await using harness = await startHarness();
    const order = orderBody(await uploadPicture(harness));
    const first = await sendOrder(harness, order);
    await fc.assert(
      fc.asyncProperty(otherSpellings(order), async (body) => {
        expect((await sendOrder(harness, body)).body).toBe(first.body);
      }),
      { numRuns: 30 },
    );
    expect(countOrders(harness)).toBe(1);
  });

  test('is a new order if a single value or the client differs', async () => {
    await using harness = await startHarness();
    const order = orderBody(await uploadPicture(harness));
    const { key: localKey } = await harness.repositories.clients.add('Other');
    const answers = [
      await sendOrder(harness, order),
      await sendOrder(harness, { ...order, seconds: '2' }),
      await sendOrder(harness, { ...order, extra: null }),
      await sendOrder({ port: harness.port, localKey }, order),
    ];
    expect(new Set(answers.map(readTaskId)).size).toBe(4);
    expect(harness.sandbox.charges).toBe(4);
  });

  test.for([['x-gatehouse-allow-duplicate: 1'], ['idempotency-key: second']])(
    'with %s is sent',
    async ([line = '']) => {
      await using harness = await startHarness();
      const order = orderBody(await uploadPicture(harness));
      const first = await sendOrder(harness, order);
      const second = await sendOrder(harness, order, [line]);
      expect(readTaskId(second)).not.toBe(readTaskId(first));
      expect(second.headers.get(REPLAYED)).toBeUndefined();
      const { rawHeaders } = latestRequest(harness);
      expect(headerValues(rawHeaders, 'x-gatehouse-allow-duplicate')).toEqual([]);
      expect(headerValues(rawHeaders, 'idempotency-key')).toHaveLength(
        line.startsWith('i') ? 1 : 0,
      );
    },
  );

  test('is recognised in strict mode too', async () => {
    await using harness = await startHarness({ strict: true });
    const order = orderBody(await uploadPicture(harness));
    const first = await sendOrder(harness, order);
    const again = await sendOrder(harness, order);
    expect(again.body).toBe(first.body);
    expect(harness.sandbox.charges).toBe(1);
  });
});

describe('Two identical concurrent orders', () => {
  test('are sent once, and both get the answer', async () => {
    await using scripted = await startScriptedHarness();
    const { harness, upstream } = scripted;
    const first = await beginRequest(harness, orderRequest(orderBody('u')));
    const arrival = await upstream.next();
    const second = await beginRequest(harness, orderRequest(orderBody('u')));
    arrival.connection.send(jsonAnswer(200, { id: 'task-1', status: 'queued' }));
    const answers = [await readWholeAnswer(first), await readWholeAnswer(second)];
    expect(answers.map(({ body }) => body)).toEqual([
      '{"id":"task-1","status":"queued"}',
      '{"id":"task-1","status":"queued"}',
    ]);
    expect(answers[1]?.headers.has(REPLAYED)).toBe(true);
    expect(postTargets(upstream)).toHaveLength(1);
  });

  test('are sent once also when the first client disconnects: the order continues for the second', async () => {
    await using scripted = await startScriptedHarness();
    const { harness, upstream } = scripted;
    const first = await beginRequest(harness, orderRequest(orderBody('u')));
    const arrival = await upstream.next();
    const second = await beginRequest(harness, orderRequest(orderBody('u')));
    await disconnect(first, harness);
    arrival.connection.send(jsonAnswer(200, { id: 'task-1' }));
    expect((await readWholeAnswer(second)).body).toBe('{"id":"task-1"}');
    expect(postTargets(upstream)).toHaveLength(1);
    const records = await harness.recorded(2);
    expect(records.map(({ endedBy }) => endedBy).toSorted()).toEqual(['client', 'gateway']);
  });
});

describe('A client that disconnects', () => {
  test('does not cancel its order: a repeated order gets the answer', async () => {
    await using scripted = await startScriptedHarness();
    const { harness, upstream } = scripted;
    const leaving = await beginRequest(harness, orderRequest(orderBody('u')));
    const { connection } = await upstream.next();
    await disconnect(leaving, harness);
    const again = sendOrder(harness, orderBody('u'));
    connection.send(jsonAnswer(200, { id: 'task-9' }));
    expect((await again).body).toBe('{"id":"task-9"}');
    const [, left] = await harness.recorded(2);
    expect(left).toMatchObject({ endedBy: 'client', status: 200, attempts: 1 });
  });
});

describe('An order with unknown outcome', () => {
  test.for(['lost-answer', 'cut-stream', 'error-500', 'slow-first-byte=50'] as const)(
    'is sent once: %s',
    async (scenario) => {
      await using harness = await startHarness();
      const order = orderBody(await uploadPicture(harness));
      const lines = [`x-sandbox-scenario: ${scenario}`];
      const first = await sendOrder(harness, order, lines);
      const again = await sendOrder(harness, order, lines);
      expect(countOrders(harness)).toBe(1);
      if (scenario.startsWith('slow')) {
        expect(again.body).toBe(first.body);
        return;
      }
      expect(first.headers.get('x-should-retry')).toBe('false');
      expect(again.headers.get('x-should-retry')).toBe('false');
      await expectGatewayError(harness, again, { code: 'order_unsure' });
      expect(again.body).toMatch(/x-gatehouse-allow-duplicate: 1.*Idempotency-Key/u);
      const meant = await sendOrder(harness, order, ['x-gatehouse-allow-duplicate: 1']);
      expect(meant.status).toBe(200);
    },
  );

  test('is reported to a client that waits for it', async () => {
    await using scripted = await startScriptedHarness();
    const { harness, upstream } = scripted;
    const first = await beginRequest(harness, orderRequest(orderBody('u')));
    const arrival = await upstream.next();
    const second = await beginRequest(harness, orderRequest(orderBody('u')));
    arrival.connection.socket.destroy();
    expect((await readWholeAnswer(first)).status).toBe(502);
    await expectGatewayError(harness, await readWholeAnswer(second), { code: 'order_unsure' });
    expect(postTargets(upstream)).toHaveLength(1);
  });

  test('is one whose answer is too long to be stored: the client gets it completely', async () => {
    await using scripted = await startScriptedHarness();
    const { harness, upstream } = scripted;
    const answer = sendOrder(harness, orderBody('u'));
    const { connection } = await upstream.next();
    connection.send(jsonAnswer(200, { id: 'task-1', log: 'x'.repeat(5 * 1024 * 1024) }));
    expect((await answer).body.length).toBeGreaterThan(5 * 1024 * 1024);
    expect((await sendOrder(harness, orderBody('u'))).status).toBe(409);
    expect(postTargets(upstream)).toHaveLength(1);
  });
});

describe('A gateway that closes while an order is running', () => {
  test('waits for the answer, also without a client', async () => {
    await using scripted = await startScriptedHarness();
    const { harness, upstream } = scripted;
    const client = await beginRequest(harness, orderRequest(orderBody('u')));
    const { connection } = await upstream.next();
    await disconnect(client, harness);
    const closing = harness.gateway.close(60_000);
    connection.send(jsonAnswer(200, { id: 'task-1' }));
    await closing;
    const [record] = await harness.recorded(1);
    expect(record).toMatchObject({ route: 'video-submit', status: 200, endedBy: 'client' });
  });

  test('aborts the order at the timeout', async () => {
    await using scripted = await startScriptedHarness();
    const { harness, upstream } = scripted;
    const client = await beginRequest(harness, orderRequest(orderBody('u')));
    const { connection } = await upstream.next();
    await harness.gateway.close(50);
    await Promise.all([connection.closed, client.closed]);
    const [record] = await harness.recorded(1);
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
    await using harness = await startHarness();
    const order = orderBody(await uploadPicture(harness));
    const refused = await sendOrder(harness, order, [`x-sandbox-scenario: ${scenario}`]);
    expect(refused.status).toBe(status);
    expect(refused.headers.get('x-should-retry')).toBeUndefined();
    expect(countOrders(harness)).toBe(sent);
    expect((await sendOrder(harness, order)).status).toBe(200);
    expect(countOrders(harness)).toBe(sent + 1);
    expect(harness.sandbox.charges).toBe(1);
  });

  test('before any byte was sent is forgotten too', async () => {
    await using scripted = await startScriptedHarness();
    const { harness, upstream } = scripted;
    await upstream[Symbol.asyncDispose]();
    for (const time of [1, 2]) {
      const answer = await sendOrder(harness, orderBody('u'));
      const record = await expectGatewayError(harness, answer, {
        code: 'upstream_unreachable',
        by: 'service',
      });
      expect(record.attempts, `time ${time}`).toBeGreaterThan(0);
    }
  });
});

const THROTTLED = jsonAnswer(429, { error: { message: 'Slow down.', code: 'rate_limit' } });
const BUSY_FOR_15 = jsonAnswer(429, { error: { message: 'Slow down.' } }, ['Retry-After: 15']);

describe('An order that the service refuses with 429', () => {
  test('is retried, becomes one video, and its client sees only the successful answer', async () => {
    await using scripted = await startScriptedHarness();
    const { harness, upstream } = scripted;
    const client = await beginRequest(harness, orderRequest(orderBody('u')));
    const first = await upstream.next();
    first.connection.send(THROTTLED);
    const second = await upstream.next();
    expect(second.body).toBe(first.body);
    second.connection.send(jsonAnswer(200, { id: 'task-1', status: 'queued' }));
    const answer = await readWholeAnswer(client);
    expect([answer.status, answer.body]).toEqual([200, '{"id":"task-1","status":"queued"}']);
    const [record] = await harness.recorded(1);
    expect(record).toMatchObject({ attempts: 2, status: 200, errorCode: null });
    expect((await sendOrder(harness, orderBody('u'))).body).toBe(answer.body);
    expect(await countJobs(harness)).toBe(1);
  });

  test('is not retried when its client disconnects before, and is forgotten', async () => {
    await using scripted = await startScriptedHarness();
    const { harness, upstream } = scripted;
    const client = await beginRequest(harness, orderRequest(orderBody('u')));
    (await upstream.next()).connection.send(BUSY_FOR_15);
    await disconnect(client, harness);
    const [record] = await harness.recorded(1);
    expect(record).toMatchObject({ endedBy: 'client', attempts: 1 });
    expect(upstream.arrivals).toHaveLength(1);
    expect(await countJobs(harness)).toBe(0);
  });

  test('is not retried when the service is paused: the client gets the 429', async () => {
    await using scripted = await startScriptedHarness();
    const { harness, upstream } = scripted;
    const client = await beginRequest(harness, orderRequest(orderBody('u')));
    (await upstream.next()).connection.send(THROTTLED);
    harness.gateway.pause();
    expect((await readWholeAnswer(client)).status).toBe(429);
    expect(upstream.arrivals).toHaveLength(1);
    expect(await countJobs(harness)).toBe(0);
  });
});

test('an order that cannot be written to disk is not sent', async () => {
  await using harness = await startHarness();
  const order = orderBody(await uploadPicture(harness));
  await harness.repositories.store.close();
  const answer = await sendOrder(harness, order);
  expect(answer.status).toBe(503);
  expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'order_not_kept' } });
  expect(countOrders(harness)).toBe(0);
});

describe('A possible order', () => {
  test.for([false, true])(
    'that cannot be parsed is refused with the reason, with --strict: %s',
    async (strict) => {
      await using harness = await startHarness({ strict });
      const wrong = { ...orderBody('u'), seconds: Number.NaN };
      const bodies = [
        '{"model":"h3",',
        '{"model":"h3","seconds":NaN}',
        '{"model":"h3",}',
        'model=h3&prompt=cat',
        Buffer.from(JSON.stringify(wrong), 'utf16le').subarray(1),
        Buffer.from([0x22, 0xff, 0x22]),
      ];
      for (const body of bodies) {
        const answer = await sendRequest(harness, { ...orderRequest(''), body });
        await expectGatewayError(harness, answer, { code: 'undecodable_body' });
        expect(answer.body).toMatch(/is not (?:JSON|valid UTF-).*was not sent/u);
      }
      const packed = await sendRequest(harness, {
        ...orderRequest('{}', ['content-encoding: gzip']),
      });
      await expectGatewayError(harness, packed, { code: 'undecodable_body' });
      expect(requestsAt(harness)).toHaveLength(0);
    },
  );

  test('that the service refuses is sent each time', async () => {
    await using harness = await startHarness();
    const bodies = ['[1]', '"x"', '{}', Buffer.from(JSON.stringify(orderBody('u')), 'utf16le')];
    for (const body of bodies) {
      for (let time = 0; time < 2; time += 1) {
        expect((await sendRequest(harness, { ...orderRequest(''), body })).status).toBe(400);
      }
    }
    expect(requestsAt(harness)).toHaveLength(8);
  });

  test.for([false, true])(
    'is recognised however its path is spelled, with --strict: %s',
    async (strict) => {
      await using scripted = await startScriptedHarness({ strict });
      const { harness, upstream } = scripted;
      const first = sendOrder(harness, orderBody('u'));
      const { connection } = await upstream.next();
      connection.send(jsonAnswer(200, { id: 'task-1' }));
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
        const answer = await sendRequest(harness, { ...orderRequest(orderBody('u')), path });
        expect(answer.body, path).toBe('{"id":"task-1"}');
      }
      expect(postTargets(upstream)).toEqual(['/v1/videos']);
    },
  );

  test.for(['/v1/videos/t1/remix', '/v1/videos/edits', '/v1/videos/t1/cancel'])(
    'is every POST below /v1/videos, separately for each path: %s',
    async (path) => {
      await using scripted = await startScriptedHarness();
      const { harness, upstream } = scripted;
      const remix = { ...orderRequest({ prompt: 'A cat' }), path };
      const first = await beginRequest(harness, remix);
      const { connection } = await upstream.next();
      const second = beginRequest(harness, remix);
      connection.send(jsonAnswer(200, { id: 'task-2' }));
      const answers = [await readWholeAnswer(first), await readWholeAnswer(await second)];
      expect(answers.map(({ body }) => body)).toEqual(['{"id":"task-2"}', '{"id":"task-2"}']);
      const other = sendRequest(harness, { ...remix, path: path.replace(/videos/u, 'videos/t2') });
      const elsewhere = await nextPost(upstream);
      elsewhere.connection.send(jsonAnswer(500, { error: { message: 'Broken.' } }));
      expect((await other).headers.get('x-should-retry')).toBe('false');
      expect(postTargets(upstream)).toHaveLength(2);
    },
  );

  test('may have no body', async () => {
    await using scripted = await startScriptedHarness();
    const { harness, upstream } = scripted;
    const remix = { method: 'POST', path: '/v1/videos/t1/remix' };
    const first = sendRequest(harness, remix);
    const { connection } = await upstream.next();
    connection.send(jsonAnswer(200, { id: 'task-2' }));
    expect((await first).body).toBe('{"id":"task-2"}');
    expect((await sendRequest(harness, remix)).headers.has(REPLAYED)).toBe(true);
    expect(postTargets(upstream)).toHaveLength(1);
  });
});

describe('In strict mode', () => {
  test('a form and a compressed body are sent byte for byte, and once', async () => {
    await using scripted = await startScriptedHarness({ strict: true });
    const { harness, upstream } = scripted;
    const form = '--b\r\ncontent-disposition: form-data; name="prompt"\r\n\r\nA cat\r\n--b--\r\n';
    const text = JSON.stringify(orderBody('u'));
    const bodies = [
      { lines: ['content-type: multipart/form-data; boundary=b'], body: Buffer.from(form) },
      {
        lines: ['content-type: application/json', 'content-encoding: gzip'],
        body: gzipSync(text),
      },
    ];
    for (const { lines, body } of bodies) {
      const order = { path: '/v1/videos', headers: lines, body };
      const first = sendRequest(harness, order);
      const arrival = await nextPost(upstream);
      expect(Buffer.from(arrival.body, 'latin1')).toEqual(body);
      arrival.connection.send(jsonAnswer(500, { error: { message: 'Broken.' } }));
      expect((await first).headers.get('x-should-retry')).toBe('false');
      expect((await sendRequest(harness, order)).status).toBe(409);
    }
    // The same order with another compression.
    const plain = await sendOrder(harness, text);
    expect(plain.status).toBe(409);
    expect(postTargets(upstream)).toHaveLength(2);
  });
});

test('the answer to an order is passed on byte for byte, compressed or not', async () => {
  await using harness = await startHarness();
  const order = orderBody(await uploadPicture(harness));
  const lines = ['x-sandbox-scenario: gzip', 'accept-encoding: gzip'];
  const packed = await sendOrder(harness, order, lines);
  expect(packed.headers.get('content-encoding')).toBe('gzip');
  const plain = await sendOrder(harness, order, lines);
  expect(plain.headers.has('content-encoding')).toBe(false);
  expect(readTaskId(plain)).toMatch(/^task-/);
});

describe('Polls', () => {
  test('more often than every five seconds get the latest answer again', async () => {
    const frozen = Date.now();
    await using harness = await startHarness({ now: () => frozen });
    const id = readTaskId(await sendOrder(harness, orderBody(await uploadPicture(harness))));
    const first = await sendRequest(harness, { path: `/v1/videos/${id}` });
    const polls = countPolls(harness);
    const again = await sendRequest(harness, { path: `/v1/videos/${id}` });
    expect(again.body).toBe(first.body);
    expect(again.headers.get(REPLAYED)).toMatch(/^[1-9]\d*$/u);
    expect(countPolls(harness)).toBe(polls);
    expect(await harness.recordOf(again.headers.get('x-gatehouse-exchange'))).toMatchObject({
      route: 'video-status',
      endedBy: 'gateway',
      attempts: 0,
    });
  });

  test('with a query, or with HEAD, are sent to the service', async () => {
    await using harness = await startHarness();
    const id = readTaskId(await sendOrder(harness, orderBody(await uploadPicture(harness))));
    await sendRequest(harness, { path: `/v1/videos/${id}` });
    const polls = countPolls(harness);
    await sendRequest(harness, { path: `/v1/videos/${id}?expand=1` });
    await sendRequest(harness, { method: 'HEAD', path: `/v1/videos/${id}` });
    expect(countPolls(harness)).toBe(polls + 2);
  });
});

/** Disconnects. The gateway has noticed it when it has answered another client. */
async function disconnect(client: RawConnection, harness: ClientTarget): Promise<void> {
  client.socket.destroy();
  await client.closed;
  await sendRequest(harness, { path: '/health' });
}

/** Counts the videos in the queue, in any state. */
async function countJobs({ repositories }: Harness): Promise<number> {
  return (await repositories.store.db.selectFrom('video_job').select('id').execute()).length;
}

function countPolls(harness: Parameters<typeof requestsAt>[0]): number {
  return requestsAt(harness).filter(({ url }) => url.startsWith('/v1/videos/')).length;
}

/** Generates other spellings of the same object: order of its members, white space, escapes. */
function otherSpellings(order: object): fc.Arbitrary<string> {
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
