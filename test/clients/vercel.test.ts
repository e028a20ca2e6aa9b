import { generateText, jsonSchema, streamText, tool } from 'ai';
import { describe, expect, test } from 'vitest';
import { latestAt } from '../kit/arrived.ts';
import { type House, startHouse } from '../kit/house.ts';
import { GOOD, ONCE, onlyRecord, QUESTION, reported, TOOL_SCHEMA, VERCEL } from './sdks.ts';

describe.for(VERCEL)('The provider $name', ({ pick, route }) => {
  const modelOf = ({ url, localKey }: House) => pick(`${url}/v1`, localKey);

  test('answers whole', async () => {
    await using house = await startHouse();
    const { text, usage } = await generateText({
      model: modelOf(house),
      prompt: QUESTION,
      ...ONCE,
    });
    expect(text).toContain(QUESTION);
    expect(await onlyRecord(house)).toMatchObject({
      ...GOOD,
      route,
      streamed: false,
      usage: reported(usage.inputTokens, usage.outputTokens),
    });
    expect(house.sandbox.charges).toBe(1);
  });

  test('answers streamed, with usage', async () => {
    await using house = await startHouse();
    const stream = streamText({ model: modelOf(house), prompt: QUESTION, ...ONCE });
    expect(await stream.text).toContain(QUESTION);
    expect(await stream.finishReason).toBe('stop');
    const usage = await stream.usage;
    expect(usage.inputTokens).toBeGreaterThan(0);
    expect(await onlyRecord(house)).toMatchObject({
      ...GOOD,
      route,
      streamed: true,
      usage: reported(usage.inputTokens, usage.outputTokens),
    });
  });

  test('calls a tool', async () => {
    await using house = await startHouse();
    const weather = tool({
      inputSchema: jsonSchema<{ city: string }>(TOOL_SCHEMA),
      execute: () => 'rain',
    });
    const { toolCalls } = await generateText({
      model: modelOf(house),
      prompt: 'Use the tool.',
      tools: { weather },
      ...ONCE,
    });
    expect(toolCalls).toMatchObject([{ toolName: 'weather', input: { city: 'sandbox' } }]);
    expect(await onlyRecord(house)).toMatchObject(GOOD);
  });

  test('stops at the service when it is aborted', async () => {
    await using house = await startHouse();
    const leaving = new AbortController();
    const stream = streamText({
      model: modelOf(house),
      prompt: QUESTION,
      ...ONCE,
      abortSignal: leaving.signal,
      headers: { 'x-sandbox-scenario': 'silent-stream' },
    });
    for await (const part of stream.stream) {
      if (part.type === 'text-delta') leaving.abort();
    }
    expect(await latestAt(house).closed).toBe('aborted');
    expect(await onlyRecord(house)).toMatchObject({ endedBy: 'client', errorCode: null });
  });
});
