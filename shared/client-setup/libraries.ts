import { KEY_VARIABLE } from '../request-code/code-request.ts';
import { environmentStep, literal } from './code-steps.ts';
import type { SetupValues, Step, ClientTool } from './client-tool.ts';

/** Formats a program's source together with the environment variable that keeps the key out of it. */
function program(
  language: 'ts' | 'python',
  write: (values: SetupValues) => string,
): (values: SetupValues) => readonly Step[] {
  return (values) => [
    environmentStep('Pass the key in an environment variable, so it is not stored in a file.', {
      [KEY_VARIABLE]: values.key,
    }),
    {
      text: 'Create the client with this address.',
      where: 'Your program',
      language,
      code: write(values),
    },
  ];
}

export const openaiNode: ClientTool = {
  id: 'openai-node',
  name: 'openai (Node)',
  style: 'chat',
  supportsLocalhost: true,
  recipe: program(
    'ts',
    ({ chat, model }) => `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: ${literal(chat)},
  apiKey: process.env.${KEY_VARIABLE},
});
const answer = await client.chat.completions.create({
  model: ${literal(model)},
  messages: [{ role: 'user', content: 'Say hello.' }],
});
console.log(answer.choices[0].message.content);`,
  ),
};

export const openaiPython: ClientTool = {
  id: 'openai-python',
  name: 'openai (Python)',
  style: 'chat',
  checked: 'documented',
  supportsLocalhost: true,
  recipe: program(
    'python',
    ({ chat, model }) => `import os
from openai import OpenAI

client = OpenAI(
    base_url=${literal(chat)},
    api_key=os.environ["${KEY_VARIABLE}"],
)
answer = client.chat.completions.create(
    model=${literal(model)},
    messages=[{"role": "user", "content": "Say hello."}],
)
print(answer.choices[0].message.content)`,
  ),
};

export const anthropicSdk: ClientTool = {
  id: 'anthropic-sdk',
  name: '@anthropic-ai/sdk',
  style: 'messages',
  supportsLocalhost: true,
  recipe: program(
    'ts',
    ({ messages, model }) => `import Anthropic from '@anthropic-ai/sdk';

// Without /v1: the SDK adds it.
const client = new Anthropic({
  baseURL: ${literal(messages)},
  apiKey: process.env.${KEY_VARIABLE},
});
const answer = await client.messages.create({
  model: ${literal(model)},
  max_tokens: 256,
  messages: [{ role: 'user', content: 'Say hello.' }],
});
console.log(answer.content);`,
  ),
};

export const vercelSdk: ClientTool = {
  id: 'vercel-ai-sdk',
  name: 'Vercel AI SDK',
  style: 'chat',
  supportsLocalhost: true,
  recipe: program(
    'ts',
    ({ chat, model }) => `import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText } from 'ai';

// With /v1: the AI SDK adds only the rest of the path, also for Messages.
const gatehouse = createOpenAICompatible({
  name: 'gatehouse',
  baseURL: ${literal(chat)},
  apiKey: process.env.${KEY_VARIABLE},
});
const { text } = await generateText({
  model: gatehouse(${literal(model)}),
  prompt: 'Say hello.',
});
console.log(text);`,
  ),
};

export const langchain: ClientTool = {
  id: 'langchain-js',
  name: 'LangChain JS',
  style: 'chat',
  supportsLocalhost: true,
  recipe: program(
    'ts',
    ({ chat, model }) => `import { ChatOpenAI } from '@langchain/openai';

const chat = new ChatOpenAI({
  model: ${literal(model)},
  apiKey: process.env.${KEY_VARIABLE},
  configuration: { baseURL: ${literal(chat)} },
});
const answer = await chat.invoke('Say hello.');
console.log(answer.content);`,
  ),
};
