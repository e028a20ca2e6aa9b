#!/usr/bin/env node
// An agent of one prompt with the Vercel AI SDK, and the provider that TRIAL_PROVIDER names.
import { isStepCount, jsonSchema, streamText, tool } from 'ai';
import { callTool, image, model, prompt, TOOLS } from './agent.mjs';

const { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: apiKey, TRIAL_PROVIDER } = process.env;
const PROVIDERS = {
  openai: async () => (await import('@ai-sdk/openai')).openai(model),
  anthropic: async () => (await import('@ai-sdk/anthropic')).anthropic(model),
  compatible: async () => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    return createOpenAICompatible({ name: 'gatehouse', baseURL, apiKey }).chatModel(model);
  },
};
const file = { type: 'file', mediaType: 'image/png', data: image };
const content = [{ type: 'text', text: prompt }, ...(image === null ? [] : [file])];
const result = streamText({
  model: await PROVIDERS[TRIAL_PROVIDER](),
  messages: [{ role: 'user', content }],
  tools: Object.fromEntries(
    TOOLS.map(({ name, description, parameters }) => [
      name,
      tool({
        description,
        inputSchema: jsonSchema(parameters),
        execute: async (input) => await callTool(name, input),
      }),
    ]),
  ),
  stopWhen: isStepCount(10),
  onError: ({ error }) => console.error(error.message),
});
console.log(await result.text);
