import { APIUserAbortError } from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import { latestRequest, headerValues } from '../../kit/gateway/sandbox-requests.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import {
  anthropic,
  ASKING_FOR_TOOL,
  GOOD,
  MESSAGES,
  MODEL,
  onlyRecord,
  QUESTION,
  reported,
  TOOL_SCHEMA,
} from './sdks.ts';

const ASK = { model: MODEL, messages: MESSAGES, max_tokens: 200 };

test('the models are listed whatever wrapper the service uses', async () => {
  await using harness = await startHarness();
  const ids: string[] = [];
  for await (const { id } of anthropic(harness).models.list({ limit: 1000 })) ids.push(id);
  expect(ids).toContain(MODEL);
  expect(await onlyRecord(harness)).toMatchObject({
    route: 'models',
    pathReceived: '/v1/models?limit=1000',
    repairs: [{ code: 'models-wrapper' }],
  });
});

test('a message is answered without a stream', async () => {
  await using harness = await startHarness();
  const { content, usage } = await anthropic(harness).messages.create(ASK);
  expect(content[0]).toMatchObject({ type: 'text', text: expect.stringContaining(QUESTION) });
  expect(await onlyRecord(harness)).toMatchObject({
    ...GOOD,
    route: 'messages',
    userAgent: expect.stringMatching(/^Anthropic\/JS 1/),
    streamed: false,
    usage: { ...reported(usage.input_tokens, usage.output_tokens), cacheWrite: 0 },
  });
  expect(harness.sandbox.charges).toBe(1);
});

test('a message is streamed, with equal text and usage', async () => {
  await using harness = await startHarness();
  const { messages } = anthropic(harness);
  const whole = await messages.create(ASK);
  const streamed = await messages.stream(ASK).finalMessage();
  expect(streamed.content).toEqual(whole.content);
  expect(streamed.usage).toEqual(whole.usage);
  const [second] = await harness.recorded(2);
  expect(second).toMatchObject({
    ...GOOD,
    route: 'messages',
    streamed: true,
    usage: reported(whole.usage.input_tokens, whole.usage.output_tokens),
  });
});

test('cached input counts as input', async () => {
  await using harness = await startHarness();
  const ask = { ...ASK, model: 'cirrus/cirrus-thinking' };
  const { usage } = await anthropic(harness).messages.stream(ask).finalMessage();
  const cached = usage.cache_read_input_tokens ?? 0;
  expect(cached).toBeGreaterThan(0);
  expect((await onlyRecord(harness)).usage).toMatchObject({
    input: usage.input_tokens + cached,
    output: usage.output_tokens,
    cacheRead: cached,
    source: 'reported',
  });
});

test('a tool is called, with and without a stream', async () => {
  await using harness = await startHarness();
  const { messages } = anthropic(harness);
  const ask = {
    model: MODEL,
    max_tokens: 200,
    messages: ASKING_FOR_TOOL,
    tools: [{ name: 'weather', input_schema: TOOL_SCHEMA }],
  };
  for (const answer of [await messages.create(ask), await messages.stream(ask).finalMessage()]) {
    expect(answer.stop_reason).toBe('tool_use');
    expect(answer.content[0]).toMatchObject({ name: 'weather', input: { city: 'sandbox' } });
  }
});

test('tokens are counted free of charge', async () => {
  await using harness = await startHarness();
  const { messages } = anthropic(harness);
  const { input_tokens: counted } = await messages.countTokens({
    model: MODEL,
    messages: MESSAGES,
  });
  expect(counted).toBe((await messages.create(ASK)).usage.input_tokens);
  const [, count] = await harness.recorded(2);
  expect(count).toMatchObject({
    route: 'other',
    pathReceived: '/v1/messages/count_tokens',
    repairs: [],
    usage: { source: 'unknown' },
  });
  expect(harness.sandbox.charges).toBe(1);
});

test('betas and the version arrive as the client sent them', async () => {
  await using harness = await startHarness();
  await anthropic(harness).beta.messages.create({
    ...ASK,
    betas: ['one-2025-01-01', 'two-2025-02-02'],
  });
  const { url, rawHeaders } = latestRequest(harness);
  expect(url).toBe('/v1/messages');
  expect(headerValues(rawHeaders, 'anthropic-beta').join()).toContain(
    'one-2025-01-01,two-2025-02-02',
  );
  expect(headerValues(rawHeaders, 'anthropic-version')).toEqual([
    expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
  ]);
  expect(await onlyRecord(harness)).toMatchObject({ route: 'messages', repairs: [] });
});

test('the key is also accepted as auth token', async () => {
  await using harness = await startHarness();
  await anthropic(harness, { apiKey: null, authToken: harness.localKey }).messages.create(ASK);
  expect(await onlyRecord(harness)).toMatchObject(GOOD);
});

test('an aborted stream stops at the service and is recorded as left by the client', async () => {
  await using harness = await startHarness();
  const headers = { 'x-sandbox-scenario': 'silent-stream' };
  const stream = anthropic(harness).messages.stream(ASK, { headers });
  stream.once('text', () => stream.abort());
  await expect(stream.done()).rejects.toThrow(APIUserAbortError);
  expect(await latestRequest(harness).closed).toBe('aborted');
  expect(await onlyRecord(harness)).toMatchObject({
    endedBy: 'client',
    errorCode: null,
    status: 200,
    streamed: true,
  });
});
