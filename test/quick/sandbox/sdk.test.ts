import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic from '@anthropic-ai/sdk';
import { generateText, jsonSchema, streamText, tool } from 'ai';
import OpenAI, { toFile } from 'openai';
import { expect, test } from 'vitest';
import { DEFAULT_FIELDS } from '../../../sandbox/fields.ts';
import { openSandbox, type Sandbox } from '../../../sandbox/server.ts';

const model = 'aurora/aurora-large';
const question = 'Which way is north?';
const messages = [{ role: 'user' as const, content: question }];
const schema = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
};

function openai({ url, key }: Sandbox) {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
}

function anthropic({ url, key }: Sandbox) {
  return new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 });
}

test('openai lists models when the wrapper is the one it expects', async () => {
  await using sandbox = await openSandbox({ fields: { ...DEFAULT_FIELDS, modelList: 'data' } });
  const { data } = await openai(sandbox).models.list();
  expect(data.map(({ id }) => id)).toContain(model);
  expect(await openai(sandbox).models.retrieve(model)).toMatchObject({ id: model });
});

test('openai chats, with and without streaming', async () => {
  await using sandbox = await openSandbox();
  const client = openai(sandbox);
  const answer = await client.chat.completions.create({ model, messages });
  expect(answer.choices[0]?.message.content).toContain(question);
  const stream = client.chat.completions.stream({
    model,
    messages,
    stream_options: { include_usage: true },
  });
  const final = await stream.finalChatCompletion();
  expect(final.choices[0]?.message.content).toBe(answer.choices[0]?.message.content);
  expect(final.usage).toEqual(answer.usage);
});

test('openai calls a tool and returns the result, with and without streaming', async () => {
  await using sandbox = await openSandbox();
  const client = openai(sandbox);
  const toolMessages = [{ role: 'user' as const, content: 'Use the tool.' }];
  const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: schema } }];
  const answer = await client.chat.completions.create({ model, messages: toolMessages, tools });
  const stream = client.chat.completions.stream({ model, messages: toolMessages, tools });
  const streamed = await stream.finalChatCompletion();
  for (const { choices } of [answer, streamed]) {
    expect(choices[0]?.finish_reason).toBe('tool_calls');
    expect(choices[0]?.message.tool_calls?.[0]).toMatchObject({
      function: { name: 'weather', arguments: '{"city":"sandbox"}' },
    });
  }
  const call = answer.choices[0]?.message;
  if (!call) throw new Error('There was no message.');
  const result = { role: 'tool' as const, tool_call_id: 'x', content: 'Rain' };
  const next = await client.chat.completions.create({
    model,
    messages: [...toolMessages, call, result],
    tools,
  });
  expect(next.choices[0]?.finish_reason).toBe('stop');
});

test('openai uses Responses, with and without streaming, with text and with a tool', async () => {
  await using sandbox = await openSandbox();
  const client = openai(sandbox);
  const answer = await client.responses.create({ model, input: question });
  expect(answer.output_text).toContain(question);
  const final = await client.responses.stream({ model, input: question }).finalResponse();
  expect(final.output_text).toBe(answer.output_text);
  expect(final.usage).toEqual(answer.usage);
  const tools = [{ type: 'function' as const, name: 'weather', parameters: schema, strict: false }];
  const called = await client.responses
    .stream({ model, input: 'Use the tool.', tools })
    .finalResponse();
  expect(called.output[0]).toMatchObject({ type: 'function_call', name: 'weather' });
});

test('openai uploads a file and understands errors', async () => {
  await using sandbox = await openSandbox();
  const client = openai(sandbox);
  const file = await toFile(Buffer.from('picture'), 'cat.png');
  const stored = await client.files.create({ file, purpose: 'user_data' });
  expect(stored).toMatchObject({ bytes: 7, filename: 'cat.png' });
  const wrong = client.chat.completions.create({ model: 'aurora-large', messages });
  await expect(wrong).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
});

test('openai reports an error in the stream', async () => {
  await using sandbox = await openSandbox();
  const stream = openai(sandbox).chat.completions.stream({
    model: 'sandbox/error-in-stream',
    messages,
  });
  await expect(stream.finalChatCompletion()).rejects.toThrow('The model stopped working.');
});

test('openai stops the stream when its caller aborts', async () => {
  await using sandbox = await openSandbox();
  const next = sandbox.nextRequest();
  const stream = openai(sandbox).chat.completions.stream({ model: 'sandbox/keep-open', messages });
  stream.once('content', () => stream.abort());
  await expect(stream.done()).rejects.toThrow();
  expect(await (await next).closed).toBe('aborted');
});

test('anthropic sends messages, with and without streaming, and counts tokens', async () => {
  await using sandbox = await openSandbox();
  const client = anthropic(sandbox);
  const request = { model, messages, max_tokens: 200 };
  const answer = await client.messages.create(request);
  const final = await client.messages.stream(request).finalMessage();
  expect(final.content).toEqual(answer.content);
  expect(final.stop_reason).toBe('end_turn');
  expect(final.usage).toEqual(answer.usage);
  const counted = await client.messages.countTokens({ model, messages });
  expect(counted.input_tokens).toBe(answer.usage.input_tokens);
});

test('anthropic calls a tool, with and without streaming', async () => {
  await using sandbox = await openSandbox();
  const client = anthropic(sandbox);
  const request = {
    model,
    max_tokens: 200,
    messages: [{ role: 'user' as const, content: 'Use the tool.' }],
    tools: [{ name: 'weather', input_schema: schema }],
  };
  const answers = [
    await client.messages.create(request),
    await client.messages.stream(request).finalMessage(),
  ];
  for (const answer of answers) {
    expect(answer.stop_reason).toBe('tool_use');
    expect(answer.content[0]).toMatchObject({ name: 'weather', input: { city: 'sandbox' } });
  }
});

test('anthropic understands errors, before and in the stream', async () => {
  await using sandbox = await openSandbox();
  const client = anthropic(sandbox);
  const request = { messages, max_tokens: 200 };
  const wrong = client.messages.create({ ...request, model: 'aurora-large' });
  await expect(wrong).rejects.toMatchObject({ status: 404 });
  const stream = client.messages.stream({ ...request, model: 'sandbox/error-in-stream' });
  await expect(stream.finalMessage()).rejects.toThrow('The model stopped working.');
});

const VERCEL = [
  {
    name: 'openai responses',
    pick: ({ url, key }: Sandbox) => createOpenAI({ baseURL: `${url}/v1`, apiKey: key })(model),
  },
  {
    name: 'openai chat',
    pick: ({ url, key }: Sandbox) =>
      createOpenAI({ baseURL: `${url}/v1`, apiKey: key }).chat(model),
  },
  {
    name: 'openai-compatible',
    pick: ({ url, key }: Sandbox) =>
      createOpenAICompatible({
        name: 'sandbox',
        baseURL: `${url}/v1`,
        apiKey: key,
        includeUsage: true,
      })(model),
  },
  {
    name: 'anthropic',
    pick: ({ url, key }: Sandbox) => createAnthropic({ baseURL: `${url}/v1`, apiKey: key })(model),
  },
];

test.for(VERCEL)('Vercel ai with $name: text, stream, usage and a tool', async ({ pick }) => {
  await using sandbox = await openSandbox();
  const chosen = pick(sandbox);
  const answer = await generateText({ model: chosen, prompt: question, maxRetries: 0 });
  expect(answer.text).toContain(question);
  const stream = streamText({ model: chosen, prompt: question, maxRetries: 0 });
  expect(await stream.text).toBe(answer.text);
  expect(await stream.finishReason).toBe('stop');
  const { inputTokens, outputTokens } = await stream.usage;
  expect([inputTokens, outputTokens]).toEqual([
    answer.usage.inputTokens,
    answer.usage.outputTokens,
  ]);
  const weather = tool({
    inputSchema: jsonSchema<{ city: string }>(schema),
    execute: () => 'rain',
  });
  const called = streamText({
    model: chosen,
    prompt: 'Use the tool.',
    tools: { weather },
    maxRetries: 0,
  });
  expect(await called.toolCalls).toMatchObject([
    { toolName: 'weather', input: { city: 'sandbox' } },
  ]);
});
