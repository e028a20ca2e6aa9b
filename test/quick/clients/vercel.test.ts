import { generateText, jsonSchema, streamText, tool } from 'ai';
import { describe, expect, test } from 'vitest';
import { latestRequest } from '../../kit/gateway/sandbox-requests.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { GOOD, ONCE, onlyRecord, QUESTION, reported, TOOL_SCHEMA, VERCEL } from './sdks.ts';

describe.for(VERCEL)('The provider $name', ({ pick, route }) => {
  const modelOf = ({ url, localKey }: Harness) => pick(`${url}/v1`, localKey);

  test('answers without a stream', async () => {
    await using harness = await startHarness();
    const { text, usage } = await generateText({
      model: modelOf(harness),
      prompt: QUESTION,
      ...ONCE,
    });
    expect(text).toContain(QUESTION);
    expect(await onlyRecord(harness)).toMatchObject({
      ...GOOD,
      route,
      streamed: false,
      usage: reported(usage.inputTokens, usage.outputTokens),
    });
    expect(harness.sandbox.charges).toBe(1);
  });

  test('answers in a stream, with usage', async () => {
    await using harness = await startHarness();
    const stream = streamText({ model: modelOf(harness), prompt: QUESTION, ...ONCE });
    expect(await stream.text).toContain(QUESTION);
    expect(await stream.finishReason).toBe('stop');
    const usage = await stream.usage;
    expect(usage.inputTokens).toBeGreaterThan(0);
    expect(await onlyRecord(harness)).toMatchObject({
      ...GOOD,
      route,
      streamed: true,
      usage: reported(usage.inputTokens, usage.outputTokens),
    });
  });

  test('calls a tool', async () => {
    await using harness = await startHarness();
    const weather = tool({
      inputSchema: jsonSchema<{ city: string }>(TOOL_SCHEMA),
      execute: () => 'rain',
    });
    const { toolCalls } = await generateText({
      model: modelOf(harness),
      prompt: 'Use the tool.',
      tools: { weather },
      ...ONCE,
    });
    expect(toolCalls).toMatchObject([{ toolName: 'weather', input: { city: 'sandbox' } }]);
    expect(await onlyRecord(harness)).toMatchObject(GOOD);
  });

  test('stops at the service when it is aborted', async () => {
    await using harness = await startHarness();
    const leaving = new AbortController();
    const stream = streamText({
      model: modelOf(harness),
      prompt: QUESTION,
      ...ONCE,
      abortSignal: leaving.signal,
      headers: { 'x-sandbox-scenario': 'silent-stream' },
    });
    for await (const part of stream.stream) {
      if (part.type === 'text-delta') leaving.abort();
    }
    expect(await latestRequest(harness).closed).toBe('aborted');
    expect(await onlyRecord(harness)).toMatchObject({ endedBy: 'client', errorCode: null });
  });
});
