import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TextProtocol } from '../chat/chat.ts';
import { parseRequest } from './parse-request.ts';

const IMAGE = 'data:image/png;base64,AAAA';
const SCHEMA = { type: 'object', properties: { path: { type: 'string' } } };

const REQUESTS: Readonly<Record<TextProtocol, object>> = {
  chat: {
    model: 'm-1',
    temperature: 0.2,
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Read it.' },
          { type: 'image_url', image_url: { url: IMAGE } },
        ],
      },
      {
        role: 'assistant',
        reasoning_content: 'Hm.',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'The text.' },
      { role: 'user', content: 'Thanks.' },
    ],
    tools: [
      { type: 'function', function: { name: 'read', description: 'Reads.', parameters: SCHEMA } },
    ],
  },
  responses: {
    model: 'm-1',
    temperature: 0.2,
    instructions: 'Be brief.',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Read it.' },
          { type: 'input_image', image_url: IMAGE },
        ],
      },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"path":"a"}' },
      { type: 'function_call_output', call_id: 'c1', output: 'The text.' },
      { role: 'user', content: 'Thanks.' },
    ],
    tools: [{ type: 'function', name: 'read', description: 'Reads.', parameters: SCHEMA }],
  },
  messages: {
    model: 'm-1',
    temperature: 0.2,
    system: [{ type: 'text', text: 'Be brief.' }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Read it.' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.' },
          { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a' } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'The text.' }] },
      { role: 'user', content: 'Thanks.' },
    ],
    tools: [{ name: 'read', description: 'Reads.', input_schema: SCHEMA }],
  },
};

const text = (content: string) => ({ kind: 'text', text: content });
const RESULT = { kind: 'result', callId: 'c1', parts: [text('The text.')], isError: false };
const CALL = { kind: 'call', id: 'c1', name: 'read', input: '{"path":"a"}', result: RESULT };

function parse(protocol: TextProtocol, body: object) {
  return parseRequest(protocol, { text: JSON.stringify(body), omitted: null });
}

describe.each(TextProtocol.options)('over %s', (protocol) => {
  test('a request with a tool, its result and an image is parsed', () => {
    expect(parse(protocol, REQUESTS[protocol])).toEqual({
      messages: [
        { role: 'system', parts: [text('Be brief.')] },
        { role: 'user', parts: [text('Read it.'), { kind: 'image', source: IMAGE }] },
        { role: 'assistant', parts: [{ kind: 'reasoning', text: 'Hm.' }, CALL] },
        { role: 'user', parts: [text('Thanks.')] },
      ],
      prompts: 1,
      parameters: [
        { name: 'model', value: 'm-1' },
        { name: 'temperature', value: '0.2' },
      ],
      tools: [{ name: 'read', description: 'Reads.', schema: SCHEMA }],
    });
  });

  test('without its middle, its complete messages are found', () => {
    const whole = JSON.stringify(REQUESTS[protocol]);
    const at = whole.indexOf('Read it.') + 4;
    const rest = whole.indexOf(protocol === 'responses' ? 'Hm.' : 'c1');
    const body = { text: whole.slice(0, at) + whole.slice(rest), omitted: { at, bytes: 1 } };
    const found = parseRequest(protocol, body);
    expect(found?.messages[0]).toEqual({ role: 'system', parts: [text('Be brief.')] });
    expect(found?.messages.map(({ role }) => role)).toContain('omitted');
    expect(found?.messages.at(-1)).toEqual({ role: 'user', parts: [text('Thanks.')] });
    expect(found?.tools).toHaveLength(1);
    expect(found?.parameters).toContainEqual({ name: 'model', value: 'm-1' });
  });

  test('no text makes it throw', () => {
    const scraps = JSON.stringify(REQUESTS[protocol]).split(/(?<=[,{[])/u);
    const texts = fc.array(fc.oneof(fc.string(), fc.constantFrom(...scraps)));
    fc.assert(
      fc.property(texts, fc.nat(200), (all, at) => {
        const body = { text: all.join(''), omitted: { at, bytes: 1 } };
        parseRequest(protocol, body);
        parseRequest(protocol, { ...body, omitted: null });
      }),
    );
    const value = fc.json().map((json) => JSON.parse(json) as unknown);
    const names = fc.constantFrom(
      'role',
      'type',
      'content',
      'text',
      'image_url',
      'source',
      'tool_calls',
      'function',
      'name',
      'call_id',
      'tool_use_id',
      'input',
      'output',
      'summary',
    );
    const kinds = fc.constantFrom('text', 'image', 'tool_use', 'tool_result', 'function_call');
    const part = fc
      .tuple(kinds, fc.dictionary(names, value))
      .map(([type, more]) => ({ type, ...more }));
    const message = fc.dictionary(names, fc.oneof(value, part, fc.array(part)));
    fc.assert(
      fc.property(fc.array(message), value, (messages, tools) => {
        expect(parse(protocol, { messages, input: messages, system: tools, tools })).not.toBeNull();
      }),
      { numRuns: 40 },
    );
  });
});

const call = (id: string) => ({ type: 'tool_use', id, name: 'read', input: {} });
const result = (id: string, content: string) => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content, is_error: true }],
});

test('a result of a call that is not there stays a message, and a second call of that id has its own', () => {
  const messages = [
    result('c0', 'lost'),
    { role: 'assistant', content: [call('c1')] },
    result('c1', 'first'),
    { role: 'assistant', content: [call('c1')] },
    result('c1', 'second'),
  ];
  const found = parse('messages', { messages })?.messages ?? [];
  expect(found.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant']);
  expect(found[0]?.parts[0]).toMatchObject({ kind: 'result', isError: true });
  expect(found[1]?.parts[0]).toMatchObject({ result: { parts: [text('first')] } });
  expect(found[2]?.parts[0]).toMatchObject({ result: { parts: [text('second')] } });
});

test('an answer of Responses ends where the results of its calls begin', () => {
  const items = [1, 2].flatMap((number) => [
    { role: 'assistant', content: `Step ${number}.` },
    { type: 'function_call', call_id: `c${number}`, name: 'read', arguments: '{}' },
    { type: 'function_call_output', call_id: `c${number}`, output: `Line ${number}.` },
  ]);
  const lost = { type: 'function_call_output', call_id: 'c9', output: 'Lost.' };
  const found = parse('responses', { input: [...items, lost] })?.messages ?? [];
  expect(found.map(({ role }) => role)).toEqual(['assistant', 'assistant', 'tool']);
  expect(found[0]?.parts).toMatchObject([
    text('Step 1.'),
    { result: { parts: [text('Line 1.')] } },
  ]);
  expect(found[1]?.parts).toMatchObject([
    text('Step 2.'),
    { result: { parts: [text('Line 2.')] } },
  ]);
});

test('a part of an unknown kind is kept, and so is a remote image', () => {
  const content = [
    { type: 'input_audio', input_audio: {} },
    { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
  ];
  expect(parse('chat', { messages: [{ role: 'user', content }] })?.messages[0]?.parts).toEqual([
    { kind: 'other', value: content[0] },
    { kind: 'image', source: 'https://example.com/a.png' },
  ]);
});

test('a body without messages is no conversation', () => {
  expect(parse('chat', { model: 'm' })).toBeNull();
  expect(parse('responses', { model: 'm' })).toBeNull();
  expect(parseRequest('chat', { text: 'no JSON', omitted: null })).toBeNull();
  expect(parse('responses', { input: 'Hello' })?.messages).toEqual([
    { role: 'user', parts: [text('Hello')] },
  ]);
});

const REST = {
  count: 1,
  start: 'whole',
  gap: null,
  isCutOff: false,
  isAmbiguous: false,
} as const;

test.each(['responses', 'messages'] as const)(
  'over %s, a result that a request sent stays after what was rebuilt, with the name of its call',
  (protocol) => {
    const asked = { id: 'c1', call_id: 'c1', name: 'ls', arguments: '{}', input: {} };
    const output = { call_id: 'c1', tool_use_id: 'c1', output: 'a.txt', content: 'a.txt' };
    const isResponses = protocol === 'responses';
    const items = isResponses
      ? [{ ...asked, type: 'function_call' }]
      : [{ role: 'assistant', content: [{ ...asked, type: 'tool_use' }] }];
    const own = isResponses
      ? { input: [{ ...output, type: 'function_call_output' }] }
      : { messages: [{ role: 'user', content: [{ ...output, type: 'tool_result' }] }] };
    const body = { text: JSON.stringify(own), omitted: null };
    const found = parseRequest(protocol, body, { ...REST, items: JSON.stringify(items) });
    const sent = { kind: 'result', callId: 'c1', call: { name: 'ls', input: '{}' } };
    expect(found?.messages).toMatchObject([
      { role: 'assistant', parts: [{ kind: 'call', name: 'ls', result: null }] },
      { mark: 'earlier' },
      { role: isResponses ? 'tool' : 'user', parts: [{ ...sent, parts: [text('a.txt')] }] },
    ]);
  },
);

test('a message of the developer that was rebuilt is no prompt of the request', () => {
  const developer = { role: 'developer', content: 'Be brief.' };
  const own = { instructions: 'You are an agent.', input: [developer, { content: 'Hi.' }] };
  expect(parse('responses', own)?.prompts).toBe(2);
  const body = { text: JSON.stringify(own), omitted: null };
  const earlier = { ...REST, items: JSON.stringify([developer]) };
  expect(parseRequest('responses', body, earlier)?.prompts).toBe(1);
});

test.each(['earlier', 'omitted'])('a message of a client with the role %s is no mark', (role) => {
  const items = JSON.stringify([{ role, content: 'Old.' }]);
  const body = { text: JSON.stringify({ input: [{ role, content: 'New.' }] }), omitted: null };
  const found = parseRequest('responses', body, { ...REST, items });
  expect(found?.messages).toMatchObject([
    { role, parts: [{ text: 'Old.' }] },
    { mark: 'earlier', parts: [{ text: expect.stringContaining('1 earlier message,') }] },
    { role, parts: [{ text: 'New.' }] },
  ]);
  expect(found?.messages.map(({ mark }) => mark)).toEqual([undefined, 'earlier', undefined]);
});
