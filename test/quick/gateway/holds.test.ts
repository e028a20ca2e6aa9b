import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { ClientId } from '../../../shared/client.ts';
import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { HeldRequest } from '../../../shared/exchange/hold.ts';
import type { LiveEvent } from '../../../shared/status.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import {
  PROTOCOLS,
  question,
  type RawRequest,
  requestBytes,
  sendRequest,
} from '../../kit/gateway/request.ts';
import { upstreamFormFor } from '../../kit/gateway/upstream-form.ts';
import { dial, readAnswer } from '../../kit/net/raw-http.ts';
import { requestsAt } from '../../kit/gateway/sandbox-requests.ts';

const CHAT_TOOL = '{"type":"function","function":{"name":"look","parameters":{"type":"object"}}}';
const UNCHANGED = { changed: {}, removed: [], holdNext: false };

async function findClient({ gateway }: Harness, name = 'Test') {
  const found = (await gateway.clients.list('services', true)).find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no client ${name}.`);
  return found;
}

/** Makes the next request of the client "Test" wait. Returns the id of the client. */
async function holdNext(harness: Harness, seconds = 60): Promise<ClientId> {
  const client = await findClient(harness);
  harness.gateway.holds.holdNext(client, seconds);
  return client.id;
}

/** Waits until this is so. */
async function waitFor({ gateway }: Harness, isSo: () => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const check = () => {
    if (isSo()) resolve();
  };
  // Nobody removes it: it goes with its gateway.
  gateway.on(check);
  check();
  await promise;
}

/** Waits until requests are held. */
async function untilHeld(harness: Harness, count = 1): Promise<readonly HeldRequest[]> {
  const { holds } = harness.gateway;
  await waitFor(harness, () => holds.list().held.length === count);
  return holds.list().held;
}

/** Sends a request that is held, decides about it, and returns the answer, its record and the body that the service got. */
async function exchange(
  harness: Harness,
  request: RawRequest,
  decide: (held: HeldRequest) => void,
) {
  await holdNext(harness);
  const answering = sendRequest(harness, request);
  const [held] = await untilHeld(harness);
  if (held === undefined) throw new Error('Nothing is held.');
  decide(held);
  const answer = await answering;
  const record = await harness.recordOf(answer.headers.get('x-gatehouse-exchange'));
  const body = await requestsAt(harness).at(-1)?.body;
  return { answer, record, body: body === undefined ? null : String(body) };
}

const QUESTIONS = PROTOCOLS.flatMap((protocol) =>
  [false, true].map((stream) => ({ protocol, stream })),
);

describe('a held request', () => {
  test.each(QUESTIONS)('goes on as it is: $protocol, stream: $stream', async (options) => {
    await using harness = await startHarness();
    const request = question(options.protocol, options);
    const before = await sendRequest(harness, request);
    const plain = await requestsAt(harness).at(-1)?.body;
    const { answer, record, body } = await exchange(harness, request, ({ id, ...held }) => {
      expect(held).toMatchObject({ clientName: 'Test', seconds: 60 });
      expect(held.until - held.heldAt).toBe(60_000);
      expect(harness.gateway.holds.read(id)).toEqual({ text: request.body, reason: null });
      const running = harness.gateway.runningExchanges().exchanges;
      expect(running).toMatchObject([{ id, stage: 'held' }]);
      harness.gateway.holds.send({ ...UNCHANGED, id });
    });
    expect(answer.status).toBe(before.status);
    expect(body).toBe(String(plain));
    expect(record.repairs).toMatchObject([{ code: 'held', after: 'unchanged, by a person' }]);
    expect(harness.gateway.holds.list()).toEqual({ next: [], held: [] });
  });

  test.each(QUESTIONS)('is changed: $protocol, stream: $stream', async ({ protocol, stream }) => {
    await using harness = await startHarness();
    const request = question(protocol, { stream });
    const member = protocol === 'responses' ? 'input' : 'messages';
    const changed = {
      [member]: [{ role: 'user', content: 'Something else, then.' }],
      model: 'aurora/aurora-large',
    };
    const { answer, record, body } = await exchange(harness, request, ({ id }) =>
      harness.gateway.holds.send({ id, changed, removed: ['nothing'], holdNext: false }),
    );
    expect(answer.status).toBe(200);
    expect(JSON.parse(body ?? '')).toMatchObject({ ...changed, stream });
    const model = 'aurora/aurora-small';
    expect(record).toMatchObject({ modelAsked: model, modelSent: changed.model });
    expect(record.repairs[0]).toMatchObject({
      code: 'held',
      after: `with changes of ${member}, model (${model} → ${changed.model})`,
    });
    await harness.gateway.bodies.flush();
    const { received, sent } = await harness.gateway.readBodies(record.id);
    expect(received?.text).toBe(request.body);
    expect(JSON.parse(sent?.text ?? '')).toMatchObject(changed);
  });

  test.each(PROTOCOLS)('is refused, with the words of the person: %s', async (protocol) => {
    await using harness = await startHarness();
    const { charges } = harness.sandbox;
    const { answer, record } = await exchange(harness, question(protocol), ({ id }) =>
      harness.gateway.holds.refuse(id, ' Not this file. '),
    );
    expect(answer.status).toBe(protocol === 'responses' ? 400 : 403);
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(answer.headers.get('x-gatehouse-error')).toBe('local_request_refused');
    expect(answer.body).toContain(
      'A person looked at this request in Gatehouse and refused it. Nothing was sent. Their words: Not this file.',
    );
    expect(record).toMatchObject({ errorCode: 'local_request_refused', attempts: 0, cost: null });
    expect(harness.sandbox.charges).toBe(charges);
  });

  test('in pieces, compressed, after a byte order mark, and in strict mode, is changed as well', async () => {
    await using harness = await startHarness();
    const long = { ...question('chat'), body: toBody('x'.repeat(900_000)) };
    const coded = question('chat', { headers: ['Content-Encoding: gzip'] });
    const requests = [
      long,
      { ...coded, body: gzipSync(coded.body ?? '') },
      { ...question('chat'), body: `\u{feff}${question('chat').body?.toString()}` },
    ];
    for (const request of requests) {
      const { answer, body } = await exchange(harness, request, ({ id }) =>
        harness.gateway.holds.send({ ...UNCHANGED, id, changed: { user: 'me' } }),
      );
      expect(answer.status).toBe(200);
      expect(JSON.parse(body ?? '')).toMatchObject({ user: 'me' });
    }
    await using strict = await startHarness({ strict: true });
    const { body } = await exchange(strict, question('messages'), ({ id }) =>
      strict.gateway.holds.send({ ...UNCHANGED, id, changed: { metadata: { user_id: 'me' } } }),
    );
    expect(JSON.parse(body ?? '')).toMatchObject({ metadata: { user_id: 'me' } });
  });

  test.each([
    ['{"model": ', 'It is not a JSON object.'],
    ['[1]', 'It is not a JSON object.'],
    [Buffer.from([0x7b, 0xff, 0x7d]), 'It is not text in UTF-8, or it is compressed.'],
  ])('that is no JSON object can be sent as it is only: %s', async (sent, reason) => {
    await using harness = await startHarness();
    const { holds } = harness.gateway;
    const { body } = await exchange(harness, { ...question('chat'), body: sent }, ({ id }) => {
      expect(holds.read(id)).toEqual({ text: null, reason });
      expect(() => holds.send({ ...UNCHANGED, id, changed: { user: 'me' } })).toThrow(
        `This request cannot be changed. ${reason}`,
      );
      holds.send({ ...UNCHANGED, id });
    });
    expect(body).toBe(String(sent));
  });
});

function toBody(text: string): string {
  return JSON.stringify({
    model: 'aurora/aurora-small',
    messages: [{ role: 'user', content: text }],
  });
}

test('of many requests at the same moment one is held, and none of another client', async () => {
  await using harness = await startHarness();
  const other = await harness.repositories.clients.add('Other');
  await holdNext(harness);
  const ask = async (localKey: string) =>
    (await sendRequest({ port: harness.port, localKey }, question('chat'))).status;
  const all = Array.from({ length: 20 }, (_, at) =>
    ask(at % 2 === 0 ? harness.localKey : other.key),
  );
  const counts = { answered: 0 };
  const answered = all.map((one) => one.then(() => (counts.answered += 1)));
  const [held] = await untilHeld(harness);
  await expect.poll(() => counts.answered).toBe(19);
  harness.gateway.holds.send({ ...UNCHANGED, id: held?.id ?? fail() });
  await Promise.all(answered);
  expect(await Promise.all(all)).toEqual(all.map(() => 200));
});

function fail(): never {
  throw new Error('Nothing is held.');
}

/** Returns how long a request was held, as its step has it. */
async function findHeldMs({ gateway }: Harness, id: ExchangeId): Promise<number | null> {
  const run = (await gateway.bodies.findPlace(id))?.run ?? fail();
  const steps = (await gateway.bodies.readRun(run))?.sequences.flatMap((one) => one.steps) ?? [];
  return steps.find((step) => step.id === id)?.heldMs ?? null;
}

describe('an agent sends a request for a title with its own', () => {
  const withNone = {
    ...question('chat'),
    body: String(question('chat').body).replace(/\}$/u, ',"tools":[ ]}'),
  };
  const withTools = {
    ...question('chat'),
    body: String(question('chat').body).replace(/\}$/u, `,"tools":[${CHAT_TOOL}]}`),
  };

  test.each([
    ['without tools', question('chat')],
    ['with an empty list of them', withNone],
  ])('%s: the one with tools waits instead, for the rest of the time', async (_how, request) => {
    await using harness = await startHarness();
    const { holds } = harness.gateway;
    await holdNext(harness);
    const title = sendRequest(harness, request);
    const [first] = await untilHeld(harness);
    const main = sendRequest(harness, withTools);
    const passed = await title;
    const [second] = await untilHeld(harness);
    expect(second?.id).not.toBe(first?.id);
    expect(second?.until).toBeLessThanOrEqual((first?.until ?? 0) + 1);
    const record = await harness.recordOf(passed.headers.get('x-gatehouse-exchange'));
    expect(record.repairs).toMatchObject([
      { code: 'held', after: 'unchanged, because the next one has tools' },
    ]);
    // The next ones pass, with tools or not, and did not wait.
    for (const next of [question('chat'), withTools]) {
      const { headers } = await sendRequest(harness, next);
      expect(headers.get('x-gatehouse-repairs')).toBeUndefined();
      const { id } = await harness.recordOf(headers.get('x-gatehouse-exchange'));
      expect(await findHeldMs(harness, id)).toBeNull();
    }
    expect(holds.list()).toMatchObject({ next: [], held: [{ id: second?.id }] });
    holds.send({ ...UNCHANGED, id: second?.id ?? fail() });
    expect((await main).status).toBe(200);
  });

  test('the one without waits on when a person changes it, and those of other clients never change that', async () => {
    await using harness = await startHarness();
    const { holds } = harness.gateway;
    const other = await harness.repositories.clients.add('Other');
    await holdNext(harness);
    const title = sendRequest(harness, question('chat'));
    const [held] = await untilHeld(harness);
    const stranger = { port: harness.port, localKey: other.key };
    expect((await sendRequest(stranger, withTools)).status).toBe(200);
    expect(holds.list().held).toMatchObject([{ id: held?.id }]);
    holds.extend(held?.id ?? fail(), 60);
    expect(
      (await sendRequest(harness, withTools)).headers.get('x-gatehouse-repairs'),
    ).toBeUndefined();
    holds.send({ ...UNCHANGED, id: held?.id ?? fail() });
    expect((await title).status).toBe(200);
  });
});

test('it is listed although more than 50 requests began after it', async () => {
  await using harness = await startHarness();
  const { gateway, sandbox } = harness;
  await holdNext(harness);
  const first = sendRequest(harness, question('chat'));
  const [held] = await untilHeld(harness);
  const gated = question('chat', { headers: ['x-sandbox-scenario: gate=1'] });
  const others = Array.from({ length: 60 }, () => sendRequest(harness, gated));
  await expect.poll(() => gateway.running).toBe(61);
  const listed = gateway.runningExchanges().exchanges;
  expect(listed).toHaveLength(51);
  expect(listed.at(-1)).toMatchObject({ id: held?.id, stage: 'held' });
  gateway.holds.send({ ...UNCHANGED, id: held?.id ?? fail() });
  sandbox.openGate(1);
  const answers = await Promise.all([first, ...others]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

test('it goes on unchanged when its time is over', async () => {
  await using harness = await startHarness();
  await holdNext(harness, 0.02);
  const answer = await sendRequest(harness, question('chat'));
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-gatehouse-repairs')).toBe('held');
});

test('it waits longer when a person changes it', async () => {
  await using harness = await startHarness();
  const { holds } = harness.gateway;
  const { record } = await exchange(harness, question('chat'), ({ id, until }) => {
    holds.extend(id, 600);
    expect(holds.list().held[0]?.until).toBeGreaterThan(until);
    holds.extend(id, 0.02);
  });
  expect(record.repairs).toMatchObject([
    { code: 'held', after: 'unchanged, because its time was over' },
  ]);
  expect(() => holds.extend(record.id, 60)).toThrow('does not wait any more');
});

test('the time for which it was held is no time of Gatehouse, and its step has it', async () => {
  await using harness = await startHarness();
  const waitMs = 80;
  await holdNext(harness, waitMs / 1_000);
  const answer = await sendRequest(harness, question('chat'));
  const { id, overheadMs, durationMs } = await harness.recordOf(
    answer.headers.get('x-gatehouse-exchange'),
  );
  // Timers may be a millisecond early.
  expect(overheadMs).toBeLessThan(durationMs - (waitMs - 2));
  const { bodies } = harness.gateway;
  const run = (await bodies.findPlace(id))?.run ?? fail();
  const [step] = (await bodies.readRun(run))?.sequences[0]?.steps ?? [];
  expect(step?.heldMs).toBeGreaterThanOrEqual(waitMs - 2);
});

test('one that is too complex is refused as ever, and the next one is held', async () => {
  await using harness = await startHarness();
  await holdNext(harness);
  const deep = `${'['.repeat(600)}${']'.repeat(600)}`;
  const body = String(question('chat').body).replace(/\}$/u, `,"more":${deep}}`);
  const answer = await sendRequest(harness, { ...question('chat'), body });
  expect(answer.headers.get('x-gatehouse-error')).toBe('body_too_complex');
  const next = sendRequest(harness, question('chat'));
  const [held] = await untilHeld(harness);
  harness.gateway.holds.send({ ...UNCHANGED, id: held?.id ?? fail() });
  expect((await next).status).toBe(200);
});

test.each(['refused', 'left'])(
  'the wait of a request that is %s is no time of the model',
  async (how) => {
    await using harness = await startHarness();
    const { gateway } = harness;
    await holdNext(harness);
    const socket = await dial(harness.port);
    socket.write(requestBytes(harness, question('chat')));
    const [held] = await untilHeld(harness);
    if (how === 'left') socket.destroy();
    else gateway.holds.refuse(held?.id ?? fail(), '');
    const { id, durationMs, ...record } = await harness.recordOf(held?.id ?? fail());
    expect(record).toMatchObject({ modelAsked: 'aurora/aurora-small', modelSent: null });
    const run = (await gateway.bodies.findPlace(id))?.run ?? fail();
    const [step] = (await gateway.bodies.readRun(run))?.sequences[0]?.steps ?? [];
    expect(step?.heldMs).toBeGreaterThan(0);
    expect(step?.heldMs).toBeLessThanOrEqual(durationMs);
  },
);

function isAboutHolds(event: LiveEvent): boolean {
  return event.kind === 'changed' && event.topic === 'holds';
}

test('a window knows a request in flight before it hears that one waits', async () => {
  await using harness = await startHarness();
  const { gateway } = harness;
  const events: LiveEvent[] = [];
  const stop = gateway.on((event) => events.push(event));
  // Events about requests in flight come at most so often.
  await sendRequest(harness, question('chat'));
  await holdNext(harness);
  events.length = 0;
  const next = sendRequest(harness, question('chat'));
  const [held] = await untilHeld(harness);
  await expect.poll(() => events.some(isAboutHolds)).toBe(true);
  const before = events.slice(0, events.findIndex(isAboutHolds));
  const inFlight = before.flatMap((event) => (event.kind === 'running' ? event.exchanges : []));
  expect(inFlight.map(({ id }) => id)).toContain(held?.id);
  stop();
  gateway.holds.send({ ...UNCHANGED, id: held?.id ?? fail() });
  expect((await next).status).toBe(200);
});

test('a client that leaves ends the wait, and nothing is sent', async () => {
  await using harness = await startHarness();
  await holdNext(harness);
  const { length } = requestsAt(harness);
  const socket = await dial(harness.port);
  socket.write(requestBytes(harness, question('chat')));
  const [held] = await untilHeld(harness);
  socket.destroy();
  await untilHeld(harness, 0);
  expect(await harness.recordOf(held?.id)).toMatchObject({ endedBy: 'client', attempts: 0 });
  expect(requestsAt(harness)).toHaveLength(length);
  const { holds } = harness.gateway;
  const id = held?.id ?? fail();
  for (const act of [
    () => holds.read(id),
    () => holds.send({ ...UNCHANGED, id }),
    () => holds.refuse(id, ''),
  ]) {
    expect(act).toThrow('This request does not wait any more');
  }
});

test('a program that gives up and asks again waits again', async () => {
  await using harness = await startHarness();
  await holdNext(harness);
  const socket = await dial(harness.port);
  socket.write(requestBytes(harness, question('chat')));
  const [first] = await untilHeld(harness);
  socket.destroy();
  await untilHeld(harness, 0);
  const again = sendRequest(harness, question('chat'));
  const [second] = await untilHeld(harness);
  expect(second?.id).not.toBe(first?.id);
  harness.gateway.holds.send({ ...UNCHANGED, id: second?.id ?? fail() });
  expect((await again).status).toBe(200);
  expect(harness.gateway.holds.list()).toEqual({ next: [], held: [] });
});

test('what is sent again waits for the rest of the time, and then no more', async () => {
  await using harness = await startHarness();
  const { holds } = harness.gateway;
  const leave = async (seconds: number) => {
    const socket = await dial(harness.port);
    socket.write(requestBytes(harness, question('chat')));
    const [held] = await untilHeld(harness);
    holds.extend(held?.id ?? fail(), seconds);
    socket.destroy();
    await untilHeld(harness, 0);
  };
  await holdNext(harness);
  await leave(10);
  const again = sendRequest(harness, question('chat'));
  const [second] = await untilHeld(harness);
  expect((second?.until ?? 0) - (second?.heldAt ?? 0)).toBeLessThanOrEqual(10_000);
  holds.send({ ...UNCHANGED, id: second?.id ?? fail() });
  await again;
  await holdNext(harness);
  await leave(0.05);
  await waitFor(harness, () => holds.list().next.length === 0);
  const { headers } = await sendRequest(harness, question('chat'));
  expect(headers.has('x-gatehouse-repairs')).toBe(false);
});

describe('a request whose body comes late is refused, not held', () => {
  test.each<[string, string, (harness: Harness) => void | Promise<void>]>([
    ['after a pause began', 'paused', ({ gateway }) => gateway.pause()],
    [
      'after another service was chosen',
      'service_changed',
      async ({ gateway }) => {
        const other = await gateway.addUpstream(upstreamFormFor('http://127.0.0.1:1'));
        await gateway.useUpstream(other.id);
      },
    ],
  ])('%s', async (_name, code, change) => {
    await using harness = await startHarness();
    const { length } = requestsAt(harness);
    await holdNext(harness);
    const bytes = requestBytes(harness, question('chat'));
    const socket = await dial(harness.port);
    socket.write(bytes.subarray(0, -10));
    await waitFor(harness, () => harness.gateway.runningExchanges().total === 1);
    await change(harness);
    const answering = readAnswer(socket);
    socket.write(bytes.subarray(-10));
    const answer = await answering;
    expect(answer.headers.get('x-gatehouse-error')).toBe(code);
    expect(harness.gateway.holds.list()).toMatchObject({ next: [{}], held: [] });
    expect(requestsAt(harness)).toHaveLength(length);
  });
});

test('what waits is refused when its client is revoked, and when another service is chosen', async () => {
  await using harness = await startHarness();
  const { gateway } = harness;
  const other = await gateway.addUpstream(upstreamFormFor('http://127.0.0.1:1'));
  const { length } = requestsAt(harness);
  await holdNext(harness);
  const first = sendRequest(harness, question('chat'));
  await untilHeld(harness);
  await gateway.useUpstream(other.id);
  expect((await first).headers.get('x-gatehouse-error')).toBe('service_changed');
  expect(gateway.holds.list().next).toMatchObject([{ clientName: 'Test' }]);
  const second = sendRequest(harness, question('chat'));
  await untilHeld(harness);
  const { id } = await findClient(harness);
  await gateway.clients.revoke(id);
  const answer = await second;
  expect(answer.status).toBe(401);
  expect(answer.body).toContain('was revoked while its request waited for a person');
  expect(gateway.holds.list()).toEqual({ next: [], held: [] });
  expect(requestsAt(harness)).toHaveLength(length);
});

describe('its client is looked at again before it is sent', () => {
  const MODEL = 'aurora/aurora-small';
  const OTHER = 'aurora/aurora-large';
  test.each([
    ['a model that it may not use any more', {}, [OTHER], 'local_model_refused'],
    ['a model that a person chose', { model: OTHER }, [MODEL], 'local_model_refused'],
    ['a model that it may use by now', { model: OTHER }, [OTHER], null],
  ])('%s', async (_name, changed, models, code) => {
    await using harness = await startHarness();
    const { gateway } = harness;
    const { length } = requestsAt(harness);
    const { id: clientId } = await findClient(harness);
    await gateway.clients.setModels(clientId, code === null ? [MODEL] : null);
    await holdNext(harness);
    const answering = sendRequest(harness, question('chat'));
    const [held] = await untilHeld(harness);
    await gateway.clients.setModels(clientId, models);
    gateway.holds.send({ ...UNCHANGED, id: held?.id ?? fail(), changed });
    expect((await answering).headers.get('x-gatehouse-error') ?? null).toBe(code);
    expect(requestsAt(harness)).toHaveLength(length + (code === null ? 1 : 0));
  });

  test.each(['expired_local_key', 'invalid_local_key', 'local_agent_stopped'])(
    '%s',
    async (code) => {
      let passedMs = 0;
      await using harness = await startHarness({ now: () => Date.now() + passedMs });
      const { gateway } = harness;
      const { length } = requestsAt(harness);
      const client = await findClient(harness);
      await gateway.clients.setExpiry(client.id, Date.now() + 86_400_000);
      await holdNext(harness);
      const answering = sendRequest(harness, question('chat'));
      const [held] = await untilHeld(harness);
      if (code === 'expired_local_key') passedMs = 86_400_001;
      else if (code === 'invalid_local_key') await gateway.clients.renew(client.id, null);
      else gateway.runaways.stop(client);
      gateway.holds.send({ ...UNCHANGED, id: held?.id ?? fail() });
      expect((await answering).headers.get('x-gatehouse-error')).toBe(code);
      expect(requestsAt(harness)).toHaveLength(length);
    },
  );
});

test('of two decisions the first counts, and the next request waits only if it is asked for', async () => {
  await using harness = await startHarness();
  const { holds } = harness.gateway;
  const decide = ({ id }: HeldRequest) => {
    holds.send({ ...UNCHANGED, id, holdNext: true });
    expect(() => holds.refuse(id, '')).toThrow('does not wait any more');
    expect(() => holds.send({ ...UNCHANGED, id })).toThrow('does not wait any more');
  };
  expect((await exchange(harness, question('chat'), decide)).answer.status).toBe(200);
  expect(holds.list()).toMatchObject({ next: [{ clientName: 'Test', seconds: 60 }], held: [] });
  const { id } = await findClient(harness);
  expect(holds.cancel(id)).toBe(true);
  expect(holds.cancel(id)).toBe(false);
  expect((await sendRequest(harness, question('chat'))).status).toBe(200);
});

test('only requests for answers of models are held', async () => {
  await using harness = await startHarness();
  await holdNext(harness);
  const models = await sendRequest(harness, { path: '/v1/models' });
  expect(models.status).toBe(200);
  const video = { task: 'ref2va', prompt: 'A lake', seconds: '4', resolution: '480p' };
  const order = await sendRequest(harness, {
    path: '/v1/videos',
    headers: ['Content-Type: application/json'],
    body: JSON.stringify({ model: 'aurora/aurora-video', ...video }),
  });
  expect(order.headers.get('x-gatehouse-repairs') ?? '').not.toContain('held');
  expect(harness.gateway.holds.list()).toMatchObject({ next: [{}], held: [] });
});

test('after a pause that began meanwhile, and when Gatehouse closes, it is refused', async () => {
  const harness = await startHarness();
  const { answer } = await exchange(harness, question('chat'), () => harness.gateway.pause());
  expect(answer.headers.get('x-gatehouse-error')).toBe('paused');
  harness.gateway.resume();
  await holdNext(harness);
  const answering = sendRequest(harness, question('chat'));
  await untilHeld(harness);
  const { charges } = harness.sandbox;
  await harness[Symbol.asyncDispose]();
  expect((await answering).headers.get('x-gatehouse-error')).toBe('shutting_down');
  expect(harness.sandbox.charges).toBe(charges);
});
