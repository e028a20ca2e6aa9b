#!/usr/bin/env node
// An agent of one prompt with the SDK of Anthropic.
import Anthropic from '@anthropic-ai/sdk';
import { callTool, image, model, prompt, TOOLS } from './agent.mjs';

const source = { type: 'base64', media_type: 'image/png', data: image };
const content = [
  { type: 'text', text: prompt },
  ...(image === null ? [] : [{ type: 'image', source }]),
];
const messages = [{ role: 'user', content }];
const tools = TOOLS.map(({ name, description, parameters }) => ({
  name,
  description,
  input_schema: parameters,
}));
const client = new Anthropic();
let answer;
for (;;) {
  answer = await client.messages
    .stream({ model, max_tokens: 1000, messages, tools })
    .finalMessage();
  messages.push({ role: 'assistant', content: answer.content });
  const calls = answer.content.filter(({ type }) => type === 'tool_use');
  if (calls.length === 0) break;
  const results = [];
  for (const { id, name, input } of calls) {
    results.push({ type: 'tool_result', tool_use_id: id, content: await callTool(name, input) });
  }
  messages.push({ role: 'user', content: results });
}
console.log(answer.content.map(({ text }) => text).join(''));
