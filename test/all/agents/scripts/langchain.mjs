#!/usr/bin/env node
// An agent of one prompt with LangChain and its package for OpenAI, over Chat Completions.
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { callTool, image, model, prompt, TOOLS } from './agent.mjs';

const url = `data:image/png;base64,${image}`;
const content = [
  { type: 'text', text: prompt },
  ...(image === null ? [] : [{ type: 'image_url', image_url: { url } }]),
];
const messages = [new HumanMessage({ content })];
const tools = TOOLS.map((tool) => ({ type: 'function', function: tool }));
const chat = new ChatOpenAI({ model }).bindTools(tools);
for (;;) {
  let answer = null;
  for await (const chunk of await chat.stream(messages)) {
    answer = answer === null ? chunk : answer.concat(chunk);
  }
  messages.push(answer);
  if (!answer.tool_calls?.length) break;
  for (const { id, name, args } of answer.tool_calls) {
    messages.push(new ToolMessage({ tool_call_id: id, content: await callTool(name, args) }));
  }
}
console.log(messages.at(-1).text);
