import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { countTokens, splitTokens } from '../../../sandbox/text/tokens.ts';
import {
  parseEvents,
  isObject,
  type JsonObject,
  openSandboxClient,
  QUESTION,
  readJson,
} from '../../kit/sandbox/sandbox-client.ts';

test('joined tokens are the text, and splitting it again gives the same tokens', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(50), (text, kept) => {
      const tokens = splitTokens(text);
      expect(tokens.join('')).toBe(text);
      const part = tokens.slice(0, kept);
      expect(countTokens([part.join('')])).toBe(part.length);
    }),
  );
});

/** Returns the usage as [input with cache, output, cached, reasoning] from any protocol's object. */
function readUsage(usage: JsonObject) {
  const detail = (name: string, inner: string) => {
    const details = usage[name];
    return isObject(details) ? details[inner] : undefined;
  };
  const cached =
    usage['cache_read_input_tokens'] ??
    detail('prompt_tokens_details', 'cached_tokens') ??
    detail('input_tokens_details', 'cached_tokens');
  const reasoning =
    detail('completion_tokens_details', 'reasoning_tokens') ??
    detail('output_tokens_details', 'reasoning_tokens') ??
    detail('output_tokens_details', 'thinking_tokens');
  const input = Number(usage['prompt_tokens'] ?? usage['input_tokens']);
  const apart = usage['cache_read_input_tokens'] === undefined ? 0 : Number(cached);
  return [input + apart, usage['completion_tokens'] ?? usage['output_tokens'], cached, reasoning];
}

function lastUsage(stream: string) {
  const found = parseEvents(stream)
    .map((event) => event['usage'] ?? (isObject(event['response']) && event['response']['usage']))
    .filter(isObject)
    .at(-1);
  return readUsage(found ?? {});
}

test.for(['aurora/aurora-large', 'cirrus/cirrus-thinking'])(
  '%s counts the same tokens in every protocol, with and without streaming',
  async (model) => {
    await using caller = await openSandboxClient();
    const system = 'Answer in one sentence, please.';
    const calls = [
      ['/v1/chat/completions', { messages: [{ role: 'system', content: system }, QUESTION] }],
      ['/v1/responses', { instructions: system, input: [QUESTION] }],
      ['/v1/messages', { system, messages: [QUESTION], max_tokens: 500 }],
    ] as const;
    const counts: unknown[] = [];
    for (const [path, body] of calls) {
      const answer = await readJson(await caller.post(path, { model, ...body }));
      counts.push(isObject(answer['usage']) && readUsage(answer['usage']));
      const options = path.includes('chat') ? { stream_options: { include_usage: true } } : {};
      const stream = await caller.post(path, { model, ...body, ...options, stream: true });
      counts.push(lastUsage(await stream.text()));
    }
    expect(new Set(counts.map((count) => JSON.stringify(count))).size).toBe(1);
    const [input, output, cached, reasoning] = JSON.parse(JSON.stringify(counts[0]));
    expect(input).toBe(countTokens([system, QUESTION.content]));
    const thinks = model.includes('thinking');
    expect([cached, reasoning]).toEqual(
      thinks ? [Math.floor(input / 2), expect.any(Number)] : [0, 0],
    );
    expect(output).toBeGreaterThan(reasoning);
  },
);

test('max_tokens ends the answer early with the stop reason of every protocol', async () => {
  await using caller = await openSandboxClient();
  const model = 'ember-mini';
  const messages = [QUESTION];
  const chat = await caller.post('/v1/chat/completions', { model, messages, max_tokens: 3 });
  expect(await readJson(chat)).toMatchObject({
    choices: [{ finish_reason: 'length', message: { content: 'Hello from the' } }],
    usage: { completion_tokens: 3 },
  });
  const message = await caller.post('/v1/messages', { model, messages, max_tokens: 3 });
  expect(await readJson(message)).toMatchObject({ stop_reason: 'max_tokens' });
  const input = 'Hi';
  const response = await caller.post('/v1/responses', { model, input, max_output_tokens: 3 });
  expect(await readJson(response)).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
  });
});

test('a chat stream has usage only when requested, in the chunk with the finish reason', async () => {
  await using caller = await openSandboxClient();
  const ask = { model: 'ember-mini', messages: [QUESTION], stream: true };
  const bare = await (await caller.post('/v1/chat/completions', ask)).text();
  expect(bare).not.toContain('"usage"');
  expect(bare).toMatch(/^: /m);
  expect(bare.endsWith('data: [DONE]\n\n')).toBe(true);
  const options = { ...ask, stream_options: { include_usage: true } };
  const lastEvent = parseEvents(
    await (await caller.post('/v1/chat/completions', options)).text(),
  ).at(-1);
  expect(lastEvent).toMatchObject({
    choices: [{ delta: {}, finish_reason: 'stop' }],
    usage: { prompt_tokens: countTokens([QUESTION.content]) },
  });
});

test('the answer repeats the beginning of the question but never the key', async () => {
  await using caller = await openSandboxClient();
  const { key } = caller.sandbox;
  const messages = [{ role: 'user', content: `My key is ${key}` }];
  const answer = await caller.post('/v1/chat/completions', { model: 'ember-mini', messages });
  const text = await answer.text();
  expect(text).toContain('My key is …');
  expect(text).not.toContain(key);
});
