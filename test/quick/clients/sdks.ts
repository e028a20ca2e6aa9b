import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic, { type ClientOptions as AnthropicOptions } from '@anthropic-ai/sdk';
import OpenAI, { type ClientOptions as OpenAIOptions } from 'openai';
import type { ExchangeRecord } from '../../../shared/exchange/exchange.ts';
import type { Harness } from '../../kit/gateway/harness.ts';

export const MODEL = 'aurora/aurora-large';
export const QUESTION = 'Which way is north?';
export const MESSAGES = [{ role: 'user' as const, content: QUESTION }];
/** A system prompt that makes the sandbox call the first tool it is offered. */
export const ASKING_FOR_TOOL = [{ role: 'user' as const, content: 'Use the tool.' }];
export const TOOL_SCHEMA = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
};

/** Creates the official OpenAI client as its documentation describes: base address with `/v1`, no retries by default. */
export function openai(harness: Harness, options: OpenAIOptions = {}): OpenAI {
  return new OpenAI({
    baseURL: `${harness.url}/v1`,
    apiKey: harness.localKey,
    maxRetries: 0,
    ...options,
  });
}

/** Creates the official Anthropic client as its documentation describes: base address without `/v1`, no retries by default. */
export function anthropic(harness: Harness, options: AnthropicOptions = {}): Anthropic {
  return new Anthropic({
    baseURL: harness.url,
    apiKey: harness.localKey,
    maxRetries: 0,
    ...options,
  });
}

/** The providers of the Vercel AI SDK, with the route that each appends to a base address ending in `/v1`. */
export const VERCEL = [
  {
    name: 'openai (responses)',
    route: 'responses',
    pick: (baseURL: string, apiKey: string) => createOpenAI({ baseURL, apiKey })(MODEL),
  },
  {
    name: 'openai (chat)',
    route: 'chat',
    pick: (baseURL: string, apiKey: string) => createOpenAI({ baseURL, apiKey }).chat(MODEL),
  },
  {
    name: 'openai-compatible',
    route: 'chat',
    pick: (baseURL: string, apiKey: string) =>
      createOpenAICompatible({ name: 'gatehouse', baseURL, apiKey, includeUsage: true })(MODEL),
  },
  {
    name: 'anthropic',
    route: 'messages',
    pick: (baseURL: string, apiKey: string) => createAnthropic({ baseURL, apiKey })(MODEL),
  },
] as const;

/** Options for the Vercel AI SDK in tests: by default it retries on its own and warns when it guesses a limit. */
export const ONCE = { maxRetries: 0, maxOutputTokens: 1000 };

/** Returns the record of the only exchange so far. */
export async function onlyRecord(harness: Harness): Promise<ExchangeRecord> {
  const [record, ...others] = await harness.recorded(1);
  if (record === undefined || others.length > 0)
    throw new Error('There is not exactly one record.');
  return record;
}

/** Expected record of a successful exchange, in any protocol. */
export const GOOD = {
  clientName: 'Test',
  method: 'POST',
  modelAsked: MODEL,
  modelSent: MODEL,
  modelServed: MODEL,
  status: 200,
  errorCode: null,
  endedBy: 'service',
  attempts: 1,
  repairs: [],
};

/** Returns the usage of a record as a client counted it; the sandbox reports cache reads as 0. */
export function reported(input: number | undefined, output: number | undefined) {
  return { input, output, cacheRead: 0, source: 'reported' };
}
