import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { z } from 'zod';

/** The model that the loops ask; only fixtures have it. */
export const LOOP_MODEL = 'fixture/agent';

/** A service, or a gateway before it. */
interface Service {
  /** Base address without `/v1`. */
  readonly url: string;
  readonly key: string;
}

/** What a loop got: the texts and the tool calls of all answers, in their order. */
export interface Transcript {
  readonly texts: readonly string[];
  readonly calls: readonly string[];
}

/** An agent: it sends a task, executes the tools that the answers call, and goes on until an answer calls none. */
export interface AgentLoop {
  readonly protocol: 'chat' | 'responses' | 'messages';
  readonly isStreamed: boolean;
  run(this: void, service: Service, task: string): Promise<Transcript>;
}

const SCHEMA = {
  type: 'object' as const,
  properties: { a: { type: 'number' as const }, b: { type: 'number' as const } },
  required: ['a', 'b'],
};
const Input = z.object({ a: z.number(), b: z.number() });
const TOOLS = {
  add: ({ a, b }: z.infer<typeof Input>) => a + b,
  multiply: ({ a, b }: z.infer<typeof Input>) => a * b,
};

/** Executes a tool. Its result names a file that is another one in each session. */
function execute(name: string, input: unknown): string {
  const { a, b } = Input.parse(input);
  if (name !== 'add' && name !== 'multiply') throw new Error(`There is no tool ${name}.`);
  return `The tool ${name} computed ${TOOLS[name]({ a, b })} and wrote /tmp/${Date.now()}/log.txt.`;
}

class Recorder implements Transcript {
  readonly texts: string[] = [];
  readonly calls: string[] = [];

  call(name: string, input: unknown): string {
    this.calls.push(`${name} ${JSON.stringify(input)}`);
    return execute(name, input);
  }
}

async function runChat(service: Service, task: string, isStreamed: boolean): Promise<Transcript> {
  const { completions } = openai(service).chat;
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: task }];
  const tools = Object.keys(TOOLS).map((name) => ({
    type: 'function' as const,
    function: { name, parameters: SCHEMA },
  }));
  const transcript = new Recorder();
  for (;;) {
    const asked = { model: LOOP_MODEL, messages, tools };
    const { choices } = isStreamed
      ? await completions.stream(asked).finalChatCompletion()
      : await completions.create(asked);
    const message = choices[0]?.message;
    if (message === undefined) throw new Error('There is no message.');
    transcript.texts.push(message.content ?? '');
    const calls = message.tool_calls ?? [];
    if (calls.length === 0) return transcript;
    messages.push(message);
    for (const call of calls) {
      if (call.type !== 'function') throw new Error('It is no function.');
      const content = transcript.call(call.function.name, JSON.parse(call.function.arguments));
      messages.push({ role: 'tool', tool_call_id: call.id, content });
    }
  }
}

async function runResponses(
  service: Service,
  task: string,
  isStreamed: boolean,
): Promise<Transcript> {
  const { responses } = openai(service);
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: task }];
  const tools = Object.keys(TOOLS).map((name) => ({
    type: 'function' as const,
    name,
    parameters: SCHEMA,
    strict: false,
  }));
  const transcript = new Recorder();
  for (;;) {
    const asked = { model: LOOP_MODEL, input, tools };
    const answer = isStreamed
      ? await responses.stream(asked).finalResponse()
      : await responses.create(asked);
    transcript.texts.push(answer.output_text);
    const calls = answer.output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
    if (calls.length === 0) return transcript;
    input.push({ role: 'assistant', content: answer.output_text }, ...calls);
    for (const { call_id, name, arguments: json } of calls) {
      const output = transcript.call(name, JSON.parse(json));
      input.push({ type: 'function_call_output', call_id, output });
    }
  }
}

async function runMessages(
  { url, key }: Service,
  task: string,
  isStreamed: boolean,
): Promise<Transcript> {
  const client = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: task }];
  const tools = Object.keys(TOOLS).map((name) => ({ name, input_schema: SCHEMA }));
  const transcript = new Recorder();
  for (;;) {
    const asked = { model: LOOP_MODEL, max_tokens: 500, messages, tools };
    const { content } = isStreamed
      ? await client.messages.stream(asked).finalMessage()
      : await client.messages.create(asked);
    transcript.texts.push(
      content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    );
    const calls = content.filter((block) => block.type === 'tool_use');
    if (calls.length === 0) return transcript;
    messages.push({ role: 'assistant', content });
    const results = calls.map(({ id, name, input }) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: transcript.call(name, input),
    }));
    messages.push({ role: 'user', content: results });
  }
}

function openai({ url, key }: Service): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
}

const RUNS = { chat: runChat, responses: runResponses, messages: runMessages };

/** Agents with the official SDKs, for each protocol with and without streaming. */
export const AGENT_LOOPS: readonly AgentLoop[] = (
  ['chat', 'responses', 'messages'] as const
).flatMap((protocol) =>
  [true, false].map((isStreamed) => ({
    protocol,
    isStreamed,
    run: async (service: Service, task: string) => await RUNS[protocol](service, task, isStreamed),
  })),
);

/** The steps of a fixture for the loops: two calls in one answer, then one call, then the end. */
export const SESSION = [
  {
    when: { contains: 'the task', tools: true },
    answer: {
      reasoning: 'Both are needed.',
      text: 'I compute both.',
      tools: [
        { name: 'add', input: { a: 2, b: 3 } },
        { name: 'multiply', input: { a: 4, b: 5 } },
      ],
    },
  },
  {
    when: { contains: 'The tool multiply computed 20' },
    answer: { tools: [{ name: 'add', input: { a: 5, b: 20 } }] },
  },
  { when: { contains: 'The tool add computed 25' }, answer: { text: 'It is **25** 🦊.' } },
];
