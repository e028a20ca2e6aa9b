#!/usr/bin/env node
// An agent of one prompt with the SDK of OpenAI, over Chat Completions.
import OpenAI from 'openai';
import { callTool, image, model, prompt, TOOLS } from './agent.mjs';

const url = `data:image/png;base64,${image}`;
const content =
  image === null
    ? prompt
    : [
        { type: 'text', text: prompt },
        { type: 'image_url', image_url: { url } },
      ];
const messages = [{ role: 'user', content }];
const tools = TOOLS.map((tool) => ({ type: 'function', function: tool }));
const client = new OpenAI();
for (;;) {
  const stream = client.chat.completions.stream({ model, messages, tools });
  const { message } = (await stream.finalChatCompletion()).choices[0];
  messages.push(message);
  if (!message.tool_calls?.length) break;
  for (const { id, function: call } of message.tool_calls) {
    const result = await callTool(call.name, JSON.parse(call.arguments));
    messages.push({ role: 'tool', tool_call_id: id, content: result });
  }
}
console.log(messages.at(-1).content);
