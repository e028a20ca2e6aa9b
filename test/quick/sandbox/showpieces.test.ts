import { expect, test } from 'vitest';
import { STARTER_PROMPTS } from '../../../shared/chat/starter-prompts.ts';
import {
  isObject,
  openSandboxClient,
  parseEvents,
  readJson,
} from '../../kit/sandbox/sandbox-client.ts';

const PROTOCOLS = ['chat', 'responses', 'messages'] as const;
type Protocol = (typeof PROTOCOLS)[number];

const PATHS = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
} as const;

/** Parts of an answer that a person sees. */
interface Shown {
  readonly text: string;
  readonly thoughts: string;
}

function requestBody(protocol: Protocol, content: unknown, more: object = {}): object {
  const turns = [{ role: 'user', content }];
  return {
    model: 'aurora/aurora-large',
    ...(protocol === 'responses' ? { input: turns } : { messages: turns }),
    ...(protocol === 'messages' && { max_tokens: 2000 }),
    ...more,
  };
}

/** Collects the strings of these fields anywhere in a value, in order. */
function collect(value: unknown, fields: readonly string[]): string {
  if (Array.isArray(value)) return value.map((each) => collect(each, fields)).join('');
  if (!isObject(value)) return '';
  return Object.entries(value)
    .map(([name, inner]) =>
      fields.includes(name) && typeof inner === 'string' ? inner : collect(inner, fields),
    )
    .join('');
}

const THOUGHTS = ['reasoning', 'reasoning_content', 'thinking'];

function readWhole(protocol: Protocol, answer: unknown): Shown {
  if (!isObject(answer)) throw new Error('The answer is no object.');
  if (protocol !== 'responses') {
    const message = protocol === 'chat' ? answer['choices'] : answer['content'];
    return { text: collect(message, ['content', 'text']), thoughts: collect(message, THOUGHTS) };
  }
  const output = Array.isArray(answer['output']) ? answer['output'].filter(isObject) : [];
  const ofType = (type: string) => output.filter((item) => item['type'] === type);
  return {
    text: collect(ofType('message'), ['text']),
    thoughts: collect(ofType('reasoning'), ['text']),
  };
}

function readStream(protocol: Protocol, events: readonly unknown[]): Shown {
  const ofType = (type: string) => events.filter((each) => isObject(each) && each['type'] === type);
  if (protocol === 'responses') {
    return {
      text: collect(ofType('response.output_text.delta'), ['delta']),
      thoughts: collect(ofType('response.reasoning_summary_text.delta'), ['delta']),
    };
  }
  const deltas = protocol === 'chat' ? events : ofType('content_block_delta');
  return { text: collect(deltas, ['content', 'text']), thoughts: collect(deltas, THOUGHTS) };
}

const PROMISED: readonly { readonly text: RegExp; readonly thoughts: RegExp }[] = [
  { text: /\n\| Step \|.*\n\|---:\|.*\n\| 1 \| client \|.+TIME-WAIT/su, thoughts: /^$/u },
  { text: /```ts\nexport function groupBy.+```\n.+```ts\ntest\('.+```/su, thoughts: /^$/u },
  { text: /\n\$\$\n.*\\frac\{-b \\pm \\sqrt\{b\^2 - 4ac\}\}\{2a\}\n\$\$/su, thoughts: /^$/u },
  { text: /\*\*0\.05\*\*/u, thoughts: /^Let the ball cost x\..+1\.20\.$/u },
];

test('finding 19: every starter prompt is tested', () => {
  expect(STARTER_PROMPTS).toHaveLength(PROMISED.length);
});

test.for(PROTOCOLS)(
  'finding 19: the starter prompts get what they promise in %s, streamed, whole, and the same again',
  async (protocol) => {
    await using caller = await openSandboxClient();
    for (const [index, prompt] of STARTER_PROMPTS.entries()) {
      const body = requestBody(protocol, prompt);
      const ask = async () =>
        readWhole(protocol, await readJson(await caller.post(PATHS[protocol], body)));
      const whole = await ask();
      expect(whole).toEqual({
        text: expect.stringMatching(PROMISED[index]?.text ?? ''),
        thoughts: expect.stringMatching(PROMISED[index]?.thoughts ?? ''),
      });
      expect(whole.text).toContain('A prepared answer of the sandbox');
      expect(await ask()).toEqual(whole);
      const streamed = await caller.post(PATHS[protocol], { ...body, stream: true });
      expect(readStream(protocol, parseEvents(await streamed.text()))).toEqual(whole);
    }
  },
);

test.for(PROTOCOLS)(
  'finding 19: a question about a tool calls the offered tool in %s, and a long text gets no showpiece',
  async (protocol) => {
    await using caller = await openSandboxClient();
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    };
    const definition = { name: 'weather', description: 'Tells the weather.' };
    const tool = {
      chat: { type: 'function', function: { ...definition, parameters: schema } },
      responses: { type: 'function', ...definition, parameters: schema },
      messages: { ...definition, input_schema: schema },
    }[protocol];
    const called = await caller.post(
      PATHS[protocol],
      requestBody(protocol, 'Use a tool for the table.', { tools: [tool] }),
    );
    const text = await called.text();
    expect(text).toContain('"weather"');
    expect(text).toContain('city');
    expect(text).not.toContain('prepared answer');
    const long = await caller.post(
      PATHS[protocol],
      requestBody(protocol, `A table. ${'word '.repeat(80)}`),
    );
    expect(await long.text()).toContain('You said:');
  },
);
