import { AuthenticationError as AnthropicAuthenticationError } from '@anthropic-ai/sdk';
import { APICallError, generateText } from 'ai';
import { AuthenticationError } from 'openai';
import { expect, test } from 'vitest';
import { requestsAt } from '../../kit/gateway/sandbox-requests.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import {
  anthropic,
  GOOD,
  MESSAGES,
  MODEL,
  ONCE,
  onlyRecord,
  openai,
  QUESTION,
  VERCEL,
} from './sdks.ts';
import { submitVideo } from './video.ts';

/** The message of Node's `fetch` for a connection that ended in the middle of a response. */
const CUT = 'terminated';

test('openai: an unknown model is answered with the most similar name', async () => {
  await using harness = await startHarness();
  const asked = openai(harness).chat.completions.create({
    model: 'auroro-largo',
    messages: MESSAGES,
  });
  await expect(asked).rejects.toMatchObject({
    status: 404,
    code: 'model_not_found',
    message: expect.stringMatching(/Did you mean "aurora\/aurora-large"/),
  });
  expect(await onlyRecord(harness)).toMatchObject({
    status: 404,
    errorCode: 'model_not_found',
    modelAsked: 'auroro-largo',
    repairs: [{ code: 'model-suggestion' }],
  });
  expect(harness.sandbox.charges).toBe(0);
});

test('openai: a wrong local key is an authentication error', async () => {
  await using harness = await startHarness();
  const asked = openai(harness, { apiKey: 'gh-wrong' }).models.list();
  await expect(asked).rejects.toThrow(AuthenticationError);
  expect(await onlyRecord(harness)).toMatchObject({
    clientName: null,
    status: 401,
    errorCode: 'invalid_local_key',
    endedBy: 'gateway',
  });
  expect(requestsAt(harness)).toEqual([]);
});

test('openai: an error in a stream reaches its reader', async () => {
  await using harness = await startHarness();
  const stream = openai(harness).chat.completions.stream({
    model: 'sandbox/error-in-stream',
    messages: MESSAGES,
  });
  await expect(stream.finalChatCompletion()).rejects.toThrow('The model stopped working.');
  expect(await onlyRecord(harness)).toMatchObject({
    endedBy: 'service',
    errorCode: 'server_error',
  });
});

test('openai: a truncated stream is an error and not a short answer', async () => {
  await using harness = await startHarness();
  const stream = openai(harness).chat.completions.stream({
    model: 'sandbox/cut-stream',
    messages: MESSAGES,
  });
  await expect(stream.finalChatCompletion()).rejects.toThrow(CUT);
  expect(await onlyRecord(harness)).toMatchObject({
    endedBy: 'service',
    errorCode: 'upstream_connection_lost',
  });
});

test('a throttled request is retried by Gatehouse, not by the SDK, and charged once', async () => {
  await using harness = await startHarness();
  const { choices } = await openai(harness, { maxRetries: 2 }).chat.completions.create(
    { model: MODEL, messages: MESSAGES },
    { headers: { 'x-sandbox-scenario': 'rate-limit=1' } },
  );
  expect(choices).toHaveLength(1);
  expect(await onlyRecord(harness)).toMatchObject({ ...GOOD, attempts: 2 });
  expect(harness.sandbox.charges).toBe(1);
});

test('a lost response is charged once and not requested again by Gatehouse', async () => {
  await using harness = await startHarness();
  const asked = openai(harness).chat.completions.create({
    model: 'sandbox/lost-answer',
    messages: MESSAGES,
  });
  await expect(asked).rejects.toMatchObject({ status: 502, code: 'upstream_connection_lost' });
  expect(await onlyRecord(harness)).toMatchObject({ attempts: 1, status: 502 });
  expect(harness.sandbox.charges).toBe(1);
});

test('a video order whose response was lost is not sent again by the SDK either', async () => {
  await using harness = await startHarness();
  const asked = submitVideo(openai(harness, { maxRetries: 2 }), {
    'x-sandbox-scenario': 'lost-answer',
  });
  await expect(asked).rejects.toMatchObject({ status: 502, code: 'upstream_connection_lost' });
  expect(harness.sandbox.charges).toBe(1);
});

test('anthropic: an unknown model is answered with the most similar name', async () => {
  await using harness = await startHarness();
  const ask = { model: 'borealis-cod', messages: MESSAGES, max_tokens: 10 };
  await expect(anthropic(harness).messages.create(ask)).rejects.toMatchObject({
    status: 404,
    message: expect.stringMatching(/Did you mean .*borealis\/borealis-code/),
    error: { type: 'error', error: { code: 'model_not_found' } },
  });
  expect(await onlyRecord(harness)).toMatchObject({ repairs: [{ code: 'model-suggestion' }] });
});

test('anthropic: a wrong local key is an authentication error', async () => {
  await using harness = await startHarness();
  const ask = { model: MODEL, messages: MESSAGES, max_tokens: 10 };
  const asked = anthropic(harness, { apiKey: 'gh-wrong' }).messages.create(ask);
  await expect(asked).rejects.toThrow(AnthropicAuthenticationError);
  await expect(asked).rejects.toMatchObject({ error: { type: 'error' } });
  expect(await onlyRecord(harness)).toMatchObject({ status: 401, errorCode: 'invalid_local_key' });
});

test('anthropic: a truncated stream is an error and not a short answer', async () => {
  await using harness = await startHarness();
  const ask = { model: 'sandbox/cut-stream', messages: MESSAGES, max_tokens: 1000 };
  const final = anthropic(harness).messages.stream(ask).finalMessage();
  await expect(final).rejects.toThrow(CUT);
  expect(await onlyRecord(harness)).toMatchObject({ errorCode: 'upstream_connection_lost' });
});

test.for(VERCEL)('Vercel $name: a wrong local key is reported as such', async ({ pick }) => {
  await using harness = await startHarness();
  const model = pick(`${harness.url}/v1`, 'gh-wrong');
  const asked = generateText({ model, prompt: QUESTION, ...ONCE });
  await expect(asked).rejects.toSatisfy((error) => APICallError.isInstance(error));
  await expect(asked).rejects.toMatchObject({
    statusCode: 401,
    message: expect.stringContaining('This local key is unknown'),
  });
});
