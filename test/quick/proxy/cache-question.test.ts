import { assert, expect, test } from 'vitest';
import { requestsAt } from '../../kit/gateway/sandbox-requests.ts';
import { type Harness, type HarnessOptions, startHarness } from '../../kit/gateway/harness.ts';
import { upstreamFormFor } from '../../kit/gateway/upstream-form.ts';
import { composeRequest, sendRaw } from '../../kit/net/raw-http.ts';
import {
  jsonAnswer,
  openUpstream,
  type ScriptedUpstream,
} from '../../kit/net/scripted-upstream.ts';

const MODEL = 'sandbox/explains-cache';

/** Starts a gateway whose service is asked why its cache missed. */
async function startAsking(options: HarnessOptions = {}): Promise<Harness> {
  const harness = await startHarness(options);
  const { id, baseUrl } = (await harness.repositories.upstreams.active())!;
  const form = upstreamFormFor(baseUrl, { asksCacheReason: true });
  await harness.gateway.changeUpstream(id, form);
  return harness;
}

interface Asking {
  readonly protocol?: 'messages' | 'responses';
  readonly model?: string;
  /** `null` for a client that names no session. */
  readonly session?: string | null;
  readonly agent?: string;
  readonly requestClass?: string;
  /** Members of the request after its messages. */
  readonly more?: string;
}

function toBody({ protocol = 'messages', model = MODEL, more = '' }: Asking): string {
  const turns = '[{"role":"user","content":"Mend 1.0 \\u00e9 parsers."}]';
  return protocol === 'messages'
    ? `{"model":"${model}", "max_tokens":9,"messages":${turns}${more} }`
    : `{"model":"${model}", "input":${turns}${more} }`;
}

async function ask(harness: Harness, asking: Asking = {}) {
  const { protocol = 'messages', session = 'session-1', agent, requestClass } = asking;
  const { port, localKey } = harness;
  const lines = [
    `Authorization: Bearer ${localKey}`,
    'Content-Type: application/json',
    'anthropic-version: 2023-06-01',
    ...(session === null ? [] : [`x-claude-code-session-id: ${session}`]),
    ...(agent === undefined ? [] : [`x-claude-code-agent-id: ${agent}`]),
    ...(requestClass === undefined ? [] : [`x-claude-code-request-class: ${requestClass}`]),
  ];
  const body = toBody(asking);
  const bytes = composeRequest({ ask: `POST /v1/${protocol}`, port, lines, body });
  const answer = await sendRaw(port, bytes);
  const record = await harness.recordOf(answer.headers.get('x-gatehouse-exchange'));
  const id = /"id":"((?:msg|resp)_\w+)"/u.exec(answer.body)?.[1] ?? '';
  return { answer, record, body, id };
}

/** Returns a body with the member that asks, as Gatehouse adds it. */
function withQuestion(body: string, id: string | null): string {
  const added = `,"diagnostics":{"previous_message_id":${JSON.stringify(id)}}`;
  return body.replace(/ \}$/u, `${added} }`);
}

function withComparison(body: string, id: string): string {
  const added = `,"prompt_cache_options":{"comparison_response_id":"${id}"}`;
  return body.replace(/ \}$/u, `${added} }`);
}

/** Returns the member that asks, within options that the client sent. */
const member = (id: string) => `"comparison_response_id":"${id}"`;

async function sentBodies(harness: Harness): Promise<string[]> {
  return await Promise.all(requestsAt(harness).map(async ({ body }) => String(await body)));
}

test.each(['messages', 'responses'] as const)(
  '%s: nothing is asked unless the service is set so',
  async (protocol) => {
    await using harness = await startHarness();
    const { body, record } = await ask(harness, { protocol });
    await ask(harness, { protocol });
    expect(await sentBodies(harness)).toEqual([body, body]);
    expect(record.repairs).toEqual([]);
  },
);

test.each(['', ',"stream":true'])(
  'Messages%s: a first request says that there was none before, the next names its answer',
  async (more) => {
    await using harness = await startAsking();
    const first = await ask(harness, { more });
    const changed = { more: `,"system":"Work well."${more}` };
    const second = await ask(harness, changed);
    expect(await sentBodies(harness)).toEqual([
      withQuestion(first.body, null),
      withQuestion(second.body, first.id),
    ]);
    expect(second.answer.body).toContain(
      '"diagnostics":{"cache_miss_reason":{"type":"system_changed"',
    );
    expect(first.record.repairs).toMatchObject([
      {
        code: 'cache-reason-asked',
        before: 'no previous_message_id',
        after: '"diagnostics":{"previous_message_id":null}',
      },
    ]);
    expect(second.record).toMatchObject({ attempts: 1, status: 200, errorCode: null });
  },
);

test.each(['', ',"stream":true'])(
  'Responses%s: a first request stays as it is, the next names its answer',
  async (more) => {
    await using harness = await startAsking();
    const asking = { protocol: 'responses', more } as const;
    const first = await ask(harness, asking);
    const second = await ask(harness, asking);
    const options = ',"prompt_cache_options":{"ttl": "30m" }';
    const third = await ask(harness, { ...asking, more: more + options });
    const empty = ',"prompt_cache_options":{ }';
    const fourth = await ask(harness, { ...asking, more: more + empty });
    expect(await sentBodies(harness)).toEqual([
      first.body,
      withComparison(second.body, first.id),
      third.body.replace('"30m" }', `"30m" ,${member(second.id)}}`),
      fourth.body.replace(':{ }', `:{ ${member(third.id)}}`),
    ]);
    expect(first.record.repairs).toEqual([]);
    expect(second.answer.body).toContain('"prompt_cache_diagnostics":{"type":"cache_hit"}');
  },
);

test.each([
  ['messages', '', ',"system":"Work well."', 'system_changed'],
  ['messages', ',"stream":true', ',"stream":true,"system":"Work well."', 'system_changed'],
  ['responses', '', ',"instructions":"Work well."', 'input_changed'],
  ['responses', ',"stream":true', ',"stream":true,"instructions":"Work well."', 'input_changed'],
] as const)(
  '%s%s: the step of a run has what the service says',
  async (protocol, more, changed, reason) => {
    await using harness = await startAsking();
    await ask(harness, { protocol, more });
    const { record } = await ask(harness, { protocol, more: changed });
    const { bodies } = harness.gateway;
    const place = await bodies.findPlace(record.id);
    assert(place !== null && place !== undefined);
    const steps = (await bodies.readRun(place.run))?.sequences.flatMap((one) => one.steps) ?? [];
    const missed: unknown = expect.any(Number);
    expect(steps.map(({ diagnosis }) => diagnosis)).toEqual([
      null,
      { kind: 'changed', reason, missed },
    ]);
  },
);

test('two agents of one session at once, and requests of another class or without tools, are told apart', async () => {
  await using harness = await startAsking();
  const tools = ',"tools":[{"name":"read","input_schema":{}}]';
  const kinds: readonly Asking[] = [
    {},
    { agent: 'agent-1' },
    { agent: 'agent-2' },
    { requestClass: 'auxiliary' },
    { more: tools },
    { session: 'session-2' },
  ];
  const firsts = await Promise.all(kinds.map((kind) => ask(harness, kind)));
  const seconds = await Promise.all(kinds.map((kind) => ask(harness, kind)));
  expect((await sentBodies(harness)).toSorted()).toEqual(
    [
      ...firsts.map(({ body }) => withQuestion(body, null)),
      ...seconds.map(({ body }, place) => withQuestion(body, firsts[place]?.id ?? '')),
    ].toSorted(),
  );
});

test.each(['messages', 'responses'] as const)(
  '%s: a model that refuses the question answers without it, and is not asked again',
  async (protocol) => {
    await using harness = await startAsking();
    const asking = { protocol, model: 'sandbox/rejects-cache-question' };
    const before = protocol === 'responses' ? [await ask(harness, asking)] : [];
    const first = await ask(harness, asking);
    expect(first.record).toMatchObject({ status: 200, attempts: 2, repairs: [] });
    expect(first.answer.headers.has('x-gatehouse-repairs')).toBe(false);
    const others = await Promise.all(
      Array.from({ length: 4 }, (_, n) => ask(harness, { ...asking, session: `other-${n}` })),
    );
    for (const { record } of [...others, await ask(harness, asking)])
      expect(record).toMatchObject({ status: 200, attempts: 1, repairs: [] });
    const { body } = first;
    const asked =
      protocol === 'messages'
        ? withQuestion(body, null)
        : withComparison(body, before[0]?.id ?? '');
    const expected = [...before.map(() => body), asked, body, ...Array<string>(5).fill(body)];
    expect(await sentBodies(harness)).toEqual(expected);
    expect(harness.sandbox.charges).toBe(expected.length - 1);
  },
);

test('a client that asks itself, one without a session, and an alias keep every other byte', async () => {
  await using harness = await startAsking();
  const own = { more: ',"diagnostics":{"previous_message_id":"msg_mine"}' };
  const options = ',"prompt_cache_options":{"comparison_response_id":null}';
  const other = { protocol: 'responses', more: options } as const;
  const sent = [
    await ask(harness, own),
    await ask(harness, { session: null }),
    await ask(harness, { ...other, more: '' }),
    await ask(harness, other),
  ];
  expect(await sentBodies(harness)).toEqual(sent.map(({ body }) => body));
  for (const { record } of sent) expect(record.repairs).toEqual([]);
  const { body } = await ask(harness, { model: 'SANDBOX/explains-cache' });
  expect((await sentBodies(harness)).at(-1)).toBe(
    withQuestion(body.replace('SANDBOX', 'sandbox'), sent[0]?.id ?? ''),
  );
});

test.each([
  { protocol: 'messages' },
  { protocol: 'responses' },
  { protocol: 'responses', more: ',"prompt_cache_options":{"ttl": "30m" }' },
  { protocol: 'responses', more: ',"prompt_cache_options":{ }' },
] as const)('an asked request (%j) is sent again as its client sent it', async (asking) => {
  await using harness = await startAsking();
  await ask(harness, asking);
  const { record, body } = await ask(harness, asking);
  expect(record.repairs).toMatchObject([{ code: 'cache-reason-asked' }]);
  const again = { id: record.id, changed: {}, removed: [] };
  const { signal } = new AbortController();
  for await (const event of harness.gateway.replay(again, signal))
    if (event.kind === 'ended') expect(event.response.status).toBe(200);
  expect((await sentBodies(harness)).at(-1)).toBe(body);
});

test('in strict mode nothing is asked', async () => {
  await using harness = await startAsking({ strict: true });
  const { body } = await ask(harness);
  expect(await sentBodies(harness)).toEqual([body]);
});

/** Answers the requests for text one after the other, and returns their bodies. */
async function runScript(service: ScriptedUpstream, script: readonly Buffer[]): Promise<string[]> {
  const sent: string[] = [];
  for (const answer of script) {
    let arrival = await service.next();
    while (arrival.head.startsWith('GET')) {
      arrival.connection.send(Buffer.from(jsonAnswer(200, { data: [{ id: 'some/model' }] })));
      arrival = await service.next();
    }
    sent.push(arrival.body);
    arrival.connection.send(answer);
  }
  return sent;
}

const toMessage = (id: string) =>
  Buffer.from(jsonAnswer(200, { id, type: 'message', model: 'some/model', content: [] }));
const toResponse = (id: string) =>
  Buffer.from(jsonAnswer(200, { id, object: 'response', status: 'completed', output: [] }));
const toRefusal = (message: string) =>
  Buffer.from(
    jsonAnswer(400, { type: 'error', error: { type: 'invalid_request_error', message } }),
  );

test('a service that is not set so is asked nothing, and the first one about its own answer afterwards', async () => {
  await using harness = await startAsking();
  const { gateway, repositories } = harness;
  const { id } = (await repositories.upstreams.active())!;
  const first = await ask(harness);
  await gateway.useUpstream('sandbox');
  expect((await ask(harness)).record).toMatchObject({ status: 200, repairs: [] });
  await gateway.useUpstream(id);
  await ask(harness);
  expect((await sentBodies(harness)).at(-1)).toBe(withQuestion(first.body, first.id));
});

test.each([
  'There is no message msg_1.',
  'previous_message_id must be a recent id.',
  'Unknown previous_message_id.',
  'No.',
])('a refused id (%s) is not asked about again, and says nothing of the model', async (message) => {
  await using service = await openUpstream();
  await using harness = await startAsking({ baseUrl: service.url });
  const script = [
    toMessage('msg_1'),
    toRefusal(message),
    toMessage('msg_2'),
    toMessage('msg_3'),
    toMessage('msg_4'),
  ];
  const played = runScript(service, script);
  const model = 'some/model';
  const { body } = await ask(harness, { model });
  expect((await ask(harness, { model })).record).toMatchObject({ status: 200, attempts: 2 });
  await ask(harness, { model });
  await ask(harness, { model, session: 'session-2' });
  expect(await played).toEqual([
    withQuestion(body, null),
    withQuestion(body, 'msg_1'),
    body,
    body,
    withQuestion(body, null),
  ]);
});

test('a model that refuses the field is remembered and logged once, also where its error repeats the id', async () => {
  await using service = await openUpstream();
  await using harness = await startAsking({ baseUrl: service.url });
  const detail = {
    type: 'extra_forbidden',
    loc: ['body', 'prompt_cache_options', 'comparison_response_id'],
    msg: 'Extra inputs are not permitted',
    input: 'resp_1',
  };
  const refusal = Buffer.from(jsonAnswer(422, { detail: [detail] }));
  const ids = ['resp_2', 'resp_3', 'resp_4'];
  const played = runScript(service, [toResponse('resp_1'), refusal, ...ids.map(toResponse)]);
  const asking = { protocol: 'responses', model: 'some/model' } as const;
  const { body } = await ask(harness, asking);
  expect((await ask(harness, asking)).record).toMatchObject({ status: 200, attempts: 2 });
  await ask(harness, { ...asking, session: 'session-2' });
  await ask(harness, { ...asking, session: 'session-2' });
  expect(await played).toEqual([body, withComparison(body, 'resp_1'), body, body, body]);
  const lines = harness.logged.filter((line) => line.includes('prompt_cache_options'));
  expect(lines).toEqual([expect.stringMatching(/^info some.model refuses/u)]);
});

test('after an error that names no field only the agent is not asked again', async () => {
  await using service = await openUpstream();
  await using harness = await startAsking({ baseUrl: service.url });
  const ids = ['msg_1', 'msg_2', 'msg_3'];
  const played = runScript(service, [toRefusal('Upstream busy'), ...ids.map(toMessage)]);
  const model = 'some/model';
  const { body } = await ask(harness, { model });
  await ask(harness, { model });
  await ask(harness, { model, session: 'session-2' });
  expect(await played).toEqual([withQuestion(body, null), body, body, withQuestion(body, null)]);
});

test('the answer of one model is not compared with that of another', async () => {
  await using harness = await startAsking();
  const first = await ask(harness);
  const other = await ask(harness, { model: 'ember-mini' });
  const again = await ask(harness);
  expect(await sentBodies(harness)).toEqual([
    withQuestion(first.body, null),
    withQuestion(other.body, null),
    withQuestion(again.body, first.id),
  ]);
});

test('a service that is set so again is asked again about a model that refused', async () => {
  await using harness = await startAsking();
  const model = 'sandbox/rejects-cache-question';
  const { body } = await ask(harness, { model });
  const { id, baseUrl } = (await harness.repositories.upstreams.active())!;
  const set = async (asksCacheReason: boolean) =>
    await harness.gateway.changeUpstream(id, upstreamFormFor(baseUrl, { asksCacheReason }));
  await set(true);
  await ask(harness, { model });
  await set(false);
  await set(true);
  await ask(harness, { model });
  const asked = withQuestion(body, null);
  expect(await sentBodies(harness)).toEqual([asked, body, body, asked, body]);
});

test('a request that is refused for another reason gets the answer to what its client sent', async () => {
  await using service = await openUpstream();
  await using harness = await startAsking({ baseUrl: service.url });
  const script = [
    toRefusal('diagnostics: Extra inputs are not permitted'),
    toRefusal('max_tokens: too few'),
    toMessage('msg_1'),
  ];
  const played = runScript(service, script);
  const model = 'some/model';
  const { answer, record, body } = await ask(harness, { model });
  expect(answer.body).toContain('max_tokens');
  expect(record).toMatchObject({ status: 400, attempts: 2, repairs: [] });
  await ask(harness, { model });
  expect(await played).toEqual([withQuestion(body, null), body, withQuestion(body, null)]);
});

test('a request that is refused without the question, too, says nothing of the question', async () => {
  await using service = await openUpstream();
  await using harness = await startAsking({ baseUrl: service.url });
  const refusal = toRefusal('The prompt is too long.');
  const played = runScript(service, [refusal, refusal, toMessage('msg_1')]);
  const model = 'some/model';
  const { body } = await ask(harness, { model });
  await ask(harness, { model });
  expect(await played).toEqual([withQuestion(body, null), body, withQuestion(body, null)]);
});

test.each([409, 503, 529])(
  'a refused question is remembered, and its client gets the %d of its own request',
  async (status) => {
    await using service = await openUpstream();
    await using harness = await startAsking({ baseUrl: service.url });
    const script = [
      toRefusal('diagnostics: Extra inputs are not permitted'),
      Buffer.from(jsonAnswer(status, { error: { message: 'Not now.' } })),
      toMessage('msg_1'),
    ];
    const played = runScript(service, script);
    const model = 'some/model';
    const { answer, record, body } = await ask(harness, { model });
    expect(answer.status).toBe(status);
    expect(answer.body).toContain('Not now.');
    expect(record).toMatchObject({ status, attempts: 2, repairs: [] });
    expect((await ask(harness, { model })).answer.status).toBe(200);
    expect(await played).toEqual([withQuestion(body, null), body, body]);
  },
);

test('after the answer to a client that asks itself the next is compared with that one', async () => {
  await using harness = await startAsking();
  const first = await ask(harness);
  const own = { more: `,"diagnostics":{"previous_message_id":"${first.id}"}` };
  const second = await ask(harness, own);
  const third = await ask(harness);
  expect(second.record.repairs).toEqual([]);
  expect((await sentBodies(harness)).at(-1)).toBe(withQuestion(third.body, second.id));
});
