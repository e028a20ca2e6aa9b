import { expect, test } from 'vitest';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { requestsAt } from '../../kit/gateway/sandbox-requests.ts';
import { composeRequest, sendRaw } from '../../kit/net/raw-http.ts';

const START = '{"model":"MODEL","messages":[{"role":"user","content":"Hi"}],"stream":true';

async function ask(harness: Harness, body: string) {
  const { port, localKey } = harness;
  const lines = [`Authorization: Bearer ${localKey}`, 'Content-Type: application/json'];
  const bytes = composeRequest({ ask: 'POST /v1/chat/completions', port, lines, body });
  const answer = await sendRaw(port, bytes);
  const record = await harness.recordOf(answer.headers.get('x-gatehouse-exchange'));
  return { answer, record };
}

async function sentBodies(harness: Harness): Promise<string[]> {
  return await Promise.all(requestsAt(harness).map(async ({ body }) => String(await body)));
}

const OPTIONS = '"stream_options":{"include_usage":true}';

test.each([
  ['}', `,${OPTIONS}}`],
  [' , "temperature":1 }', ` , "temperature":1,${OPTIONS} }`],
  [',"stream_options":{"include_usage":false}}', `,${OPTIONS}}`],
  [
    ',"stream_options":{"include_obfuscation":false}}',
    ',"stream_options":{"include_obfuscation":false,"include_usage":true}}',
  ],
])(
  'a stream that ends with %s is asked for its usage, which its client does not get',
  async (end, sent) => {
    await using harness = await startHarness();
    const body = START.replace('MODEL', 'sandbox/usage-apart');
    const { answer, record } = await ask(harness, body + end);
    expect(answer.status).toBe(200);
    expect(answer.body).toContain('"finish_reason":"stop"');
    expect(answer.body).toContain('data: [DONE]');
    expect(answer.body).not.toContain('"choices":[],');
    expect(record).toMatchObject({ repairs: [], attempts: 1, usage: { source: 'reported' } });
    expect(await sentBodies(harness)).toEqual([body + sent]);
  },
);

/** A stream without what differs between two answers. */
function withoutIds({ body }: { readonly body: string }): string {
  return body.replaceAll(/chatcmpl-[\w-]+|"created":\d+/gu, '');
}

test.each(['sandbox/usage-apart', 'ember-mini'])(
  'the client of %s gets byte for byte the stream that it gets without',
  async (model) => {
    await using harness = await startHarness();
    const body = `${START.replace('MODEL', model)}}`;
    const asked = await ask(harness, body);
    await harness.gateway.changeSettings({ asksForUsage: false });
    const plain = await ask(harness, body);
    expect(plain.record.usage.source).toBe('estimated');
    expect(withoutIds(asked.answer)).toBe(withoutIds(plain.answer));
  },
);

test('a model that refuses it answers without, is remembered, and no repair is shown', async () => {
  await using harness = await startHarness();
  const body = `${START.replace('MODEL', 'harbor/harbor-strict')}}`;
  const first = await ask(harness, body);
  expect(first.answer.status).toBe(200);
  expect(first.record).toMatchObject({ repairs: [], attempts: 2, usage: { source: 'estimated' } });
  const others = await Promise.all(Array.from({ length: 8 }, () => ask(harness, body)));
  for (const { answer, record } of others) {
    expect(answer.body).toContain('data: [DONE]');
    expect(record).toMatchObject({ repairs: [], attempts: 1 });
  }
  expect((await sentBodies(harness)).slice(1)).toEqual(Array(9).fill(body));
});

test('a request that asks itself, one that is no stream, and strict mode stay as they are', async () => {
  await using harness = await startHarness();
  const plain = START.replace('MODEL', 'sandbox/usage-apart');
  const asking = `${plain},${OPTIONS}}`;
  const whole = `${plain.replace(',"stream":true', '')}}`;
  const { answer } = await ask(harness, asking);
  expect(answer.body).toContain('"usage":{');
  await ask(harness, whole);
  expect(await sentBodies(harness)).toEqual([asking, whole]);
});
