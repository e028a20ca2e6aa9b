import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { SCENARIOS } from '../../../sandbox/scenarios/scenario.ts';
import {
  type SandboxClient,
  parseEvents,
  MODEL,
  openSandboxClient,
  QUESTION,
  readJson,
} from '../../kit/sandbox/sandbox-client.ts';

const CHAT = '/v1/chat/completions';
const WHOLE = { model: MODEL, messages: [QUESTION], max_tokens: 500 };
const STREAM = { ...WHOLE, stream: true };

function under(scenario: string): Record<string, string> {
  return { 'x-sandbox-scenario': scenario };
}

function post(caller: SandboxClient, scenario: string, body: object = STREAM): Promise<Response> {
  return caller.post(CHAT, body, under(scenario));
}

/** Returns the chunks of a streamed answer with the time of each, and how it ended. */
async function collect(answer: Response) {
  const chunks: { readonly at: number; readonly bytes: Uint8Array }[] = [];
  try {
    for await (const bytes of answer.body ?? []) chunks.push({ at: performance.now(), bytes });
    return { chunks, broken: false };
  } catch {
    return { chunks, broken: true };
  }
}

function textOfChunks(chunks: readonly { readonly bytes: Uint8Array }[]): string {
  return Buffer.concat(chunks.map(({ bytes }) => bytes)).toString();
}

test('every scenario is a model in the list, and its name is refused only with a wrong number', async () => {
  await using caller = await openSandboxClient();
  const list = await (await caller.get('/v1/models')).text();
  for (const { name } of SCENARIOS) expect(list).toContain(`"sandbox/${name}"`);
});

test.for([
  'nonsense',
  'slow-stream=',
  'slow-stream=-1',
  'slow-stream=1e3',
  'slow-stream= 5',
  'slow-stream=600001',
  'odd-chunks=0',
  'html=1',
  'Slow-Stream',
])('the scenario "%s" is refused with 400', async (scenario) => {
  await using caller = await openSandboxClient();
  const answer = await post(caller, scenario);
  expect(answer.status).toBe(400);
});

test('an unknown scenario is refused with a list of the known ones', async () => {
  await using caller = await openSandboxClient();
  const message = await (await post(caller, 'nonsense')).text();
  for (const { name } of SCENARIOS) expect(message).toContain(name);
});

test('slow-first-byte delays the head for the requested time', async () => {
  await using caller = await openSandboxClient();
  const before = performance.now();
  await post(caller, 'slow-first-byte=120');
  expect(performance.now() - before).toBeGreaterThanOrEqual(115);
});

test('slow-stream lets the requested time pass between events', async () => {
  await using caller = await openSandboxClient();
  const before = performance.now();
  const { chunks } = await collect(
    await post(caller, 'slow-stream=20', { ...STREAM, max_tokens: 5 }),
  );
  const events = textOfChunks(chunks).match(/\n\n/gu)?.length ?? 0;
  expect(events).toBeGreaterThanOrEqual(8);
  expect(performance.now() - before).toBeGreaterThanOrEqual(20 * (events - 1) * 0.9);
});

test('silent-stream pauses in the middle and then completes', async () => {
  await using caller = await openSandboxClient();
  const { chunks, broken } = await collect(await post(caller, 'silent-stream=150'));
  const gaps = chunks.slice(1).map(({ at }, n) => at - (chunks[n]?.at ?? at));
  expect(Math.max(...gaps)).toBeGreaterThanOrEqual(100);
  expect(broken).toBe(false);
  expect(textOfChunks(chunks)).toContain('[DONE]');
});

test('cut-stream breaks the connection after exactly the requested number of events', async () => {
  await using caller = await openSandboxClient();
  const next = caller.sandbox.nextRequest();
  const { chunks, broken } = await collect(await post(caller, 'cut-stream=4'));
  expect(broken).toBe(true);
  expect(textOfChunks(chunks).match(/\n\n/g)).toHaveLength(4);
  expect(await (await next).closed).toBe('aborted');
});

test('cut-stream=0 breaks the connection after the head', async () => {
  await using caller = await openSandboxClient();
  const answer = await post(caller, 'cut-stream=0');
  expect(answer.status).toBe(200);
  expect(await collect(answer)).toEqual({ chunks: [], broken: true });
});

test('cut-stream breaks an answer without a stream half-way', async () => {
  await using caller = await openSandboxClient();
  const answer = await post(caller, 'cut-stream', WHOLE);
  const size = Number(answer.headers.get('content-length'));
  const { chunks, broken } = await collect(answer);
  expect(broken).toBe(true);
  expect(textOfChunks(chunks).length).toBeLessThan(size);
});

test('short-stream ends cleanly in the middle', async () => {
  await using caller = await openSandboxClient();
  const { chunks, broken } = await collect(await post(caller, 'short-stream=4'));
  expect(broken).toBe(false);
  expect(textOfChunks(chunks).match(/\n\n/g)).toHaveLength(4);
});

const TERMINAL = [
  { path: CHAT, body: STREAM, mark: '[DONE]', error: '"error":{' },
  { path: '/v1/messages', body: STREAM, mark: 'message_stop', error: 'event: error\n' },
  {
    path: '/v1/responses',
    body: { model: MODEL, input: 'Hi', stream: true },
    mark: 'response.completed',
    error: 'event: error\n',
  },
];

test.for(TERMINAL)('unsaid-end leaves out only $mark', async ({ path, body, mark }) => {
  await using caller = await openSandboxClient();
  const complete = await (await caller.post(path, body)).text();
  const unsaid = await (await caller.post(path, body, under('unsaid-end'))).text();
  expect(unsaid).not.toContain(mark);
  expect(unsaid.match(/\n\n/g)?.length).toBe((complete.match(/\n\n/g)?.length ?? 0) - 1);
});

test.for(TERMINAL)(
  'error-in-stream ends $path with an error',
  async ({ path, body, mark, error }) => {
    await using caller = await openSandboxClient();
    const stream = await (await caller.post(path, body, under('error-in-stream=3'))).text();
    expect(stream).not.toContain(mark);
    expect(stream.split('\n\n')).toHaveLength(5);
    expect(stream.split('\n\n')[3]).toContain(error.trim());
  },
);

test('keep-open sends the complete answer and then waits until the caller disconnects', async () => {
  await using caller = await openSandboxClient();
  const next = caller.sandbox.nextRequest();
  const answer = await post(caller, 'keep-open');
  let received = '';
  for await (const bytes of answer.body ?? []) {
    received += Buffer.from(bytes).toString();
    if (received.endsWith('[DONE]\n\n')) break;
  }
  expect(await (await next).closed).toBe('aborted');
});

test('lost-answer charges the call and sends no answer', async () => {
  await using caller = await openSandboxClient();
  const next = caller.sandbox.nextRequest();
  await expect(post(caller, 'lost-answer', WHOLE)).rejects.toThrow();
  expect(await (await next).closed).toBe('aborted');
  expect(caller.sandbox.charges).toBe(1);
});

test('rate-limit refuses the requested number of times, succeeds once and starts over', async () => {
  await using caller = await openSandboxClient();
  const statuses: number[] = [];
  for (let n = 0; n < 6; n += 1) statuses.push((await post(caller, 'rate-limit=2', WHOLE)).status);
  expect(statuses).toEqual([429, 429, 200, 429, 429, 200]);
  expect(caller.sandbox.charges).toBe(2);
});

test('rate-limit counts each token separately', async () => {
  await using caller = await openSandboxClient();
  const ask = (token: string) =>
    caller.post(CHAT, WHOLE, { ...under('rate-limit=1'), 'x-sandbox-token': token });
  expect([(await ask('a')).status, (await ask('b')).status]).toEqual([429, 429]);
  expect([(await ask('a')).status, (await ask('b')).status]).toEqual([200, 200]);
});

test.for([
  { scenario: 'rate-limit-forever', status: 429, code: 'rate_limit_exceeded' },
  { scenario: 'error-500', status: 500, code: 'server_error' },
  { scenario: 'forbidden', status: 403, code: 'permission_denied' },
  { scenario: 'bad-key-echo', status: 401, code: 'invalid_api_key' },
])('$scenario gets $status, by header and by model', async ({ scenario, status, code }) => {
  await using caller = await openSandboxClient();
  const answers = [
    await post(caller, scenario),
    await caller.post(CHAT, { ...WHOLE, model: `sandbox/${scenario}` }),
  ];
  for (const answer of answers) {
    expect(answer.status).toBe(status);
    expect(answer.headers.get('retry-after')).toBe(status === 429 ? '1' : null);
    const body = await readJson(answer);
    expect(body).toHaveProperty('error.code', code);
    const echoes = JSON.stringify(body).includes(caller.sandbox.key);
    expect(echoes).toBe(scenario === 'bad-key-echo');
  }
  expect(caller.sandbox.charges).toBe(0);
});

test.for(['harbor/harbor-strict', 'sandbox/rejects-stream-options'])(
  '%s refuses stream_options by name and works without',
  async (model) => {
    await using caller = await openSandboxClient();
    const options = { stream_options: { include_usage: true } };
    const refused = await caller.post(CHAT, { ...STREAM, model, ...options });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('stream_options');
    expect((await caller.post(CHAT, { ...STREAM, model })).status).toBe(200);
  },
);

test('usage-apart sends the usage in a last chunk without choices', async () => {
  await using caller = await openSandboxClient();
  const options = { stream_options: { include_usage: true } };
  const events = parseEvents(
    await (await post(caller, 'usage-apart', { ...STREAM, ...options })).text(),
  );
  expect(events.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
  expect(events.at(-2)).not.toHaveProperty('usage');
});

test('html answers with an HTML page, status 200 and no charge', async () => {
  await using caller = await openSandboxClient();
  const answer = await post(caller, 'html');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'text/html; charset=utf-8',
  ]);
  expect(await answer.text()).toMatch(/^<!doctype html>/);
  expect(caller.sandbox.charges).toBe(0);
});

test.for([WHOLE, STREAM])('huge-answer has the requested length (%#)', async (body) => {
  await using caller = await openSandboxClient();
  const answer = await (await post(caller, 'huge-answer=3', body)).text();
  const words = answer.match(/sandbox/g)?.length ?? 0;
  expect(words).toBeGreaterThanOrEqual((3 * 2 ** 20) / 8);
});

test('burst sends one event per word', async () => {
  await using caller = await openSandboxClient();
  const events = parseEvents(await (await post(caller, 'burst=5000')).text());
  expect(events).toHaveLength(5002);
});

test('odd-chunks splits inside characters, ends lines with CRLF, and is the same text', async () => {
  await using caller = await openSandboxClient();
  const short = { ...STREAM, max_tokens: 8 };
  const answer = await rawPost(caller, { body: short, scenario: 'odd-chunks=1' });
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  expect(chunks.some((chunk) => chunk.toString().includes('\uFFFD'))).toBe(true);
  const all = Buffer.concat(chunks).toString();
  expect(all.replaceAll('\r\n', '')).not.toContain('\n');
  const plain = await (await caller.post(CHAT, short)).text();
  expect(saying(all)).toEqual(saying(plain));
});

function saying(stream: string) {
  return parseEvents(stream).map((event) => event['choices']);
}

/** Sends a request without decoding the answer. */
async function rawPost(
  caller: SandboxClient,
  ask: { readonly body: object; readonly scenario: string; readonly accept?: string },
) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = {
    authorization: `Bearer ${caller.sandbox.key}`,
    'content-type': 'application/json',
    'x-sandbox-scenario': ask.scenario,
    'accept-encoding': ask.accept ?? 'identity',
  };
  const request = httpRequest(caller.sandbox.url + CHAT, { method: 'POST', headers }, resolve);
  request.once('error', reject);
  request.end(JSON.stringify(ask.body));
  return promise;
}

const DECODERS = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

test.for(Object.entries(DECODERS))(
  'gzip answers in %s when that is accepted',
  async ([name, decode]) => {
    await using caller = await openSandboxClient();
    for (const body of [WHOLE, STREAM]) {
      const accept = `unheard-of, identity;q=0, ${name};q=0.8`;
      const answer = await rawPost(caller, { body, scenario: 'gzip', accept });
      expect(answer.headers['content-encoding']).toBe(name);
      const bytes = await buffer(answer);
      expect(decode(bytes).toString()).toContain('Hello');
    }
  },
);

test('gzip answers without compression when no encoding is accepted', async () => {
  await using caller = await openSandboxClient();
  const answer = await rawPost(caller, { body: WHOLE, scenario: 'gzip', accept: 'gzip;q=0' });
  expect(answer.headers['content-encoding']).toBeUndefined();
  expect(await text(answer)).toContain('Hello');
});

test('a compressed stream still delivers each event immediately', async () => {
  await using caller = await openSandboxClient();
  const body = { ...STREAM, max_tokens: 500 };
  const answer = await rawPost(caller, { body, scenario: 'gzip', accept: 'gzip' });
  let chunks = 0;
  answer.on('data', () => (chunks += 1));
  await once(answer, 'end');
  expect(chunks).toBeGreaterThan(10);
});

test('the header wins over the model', async () => {
  await using caller = await openSandboxClient();
  const body = { ...WHOLE, model: 'sandbox/error-500' };
  expect((await post(caller, 'forbidden', body)).status).toBe(403);
});
