import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TextProtocol } from '../chat/chat.ts';
import { assembleResponse } from './assemble-response.ts';

function assemble(protocol: TextProtocol, text: string, contentType = 'text/event-stream') {
  return assembleResponse(protocol, { text, contentType, omitted: null });
}

function events(...data: readonly (object | string)[]): string {
  return data
    .map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`)
    .join('');
}

const chunk = (delta: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
});

const STREAMS: Readonly<Record<TextProtocol, string>> = {
  chat: `: keep-alive\n\n${events(
    chunk({ role: 'assistant', content: '' }),
    chunk({ reasoning_content: 'Hm. ' }),
    chunk({ reasoning: 'So.' }),
    chunk({ content: 'Let me ' }),
    chunk({ content: 'look 🦊' }),
    chunk({
      tool_calls: [{ index: 0, id: 'c1', function: { name: 'read', arguments: '{"pa' } }],
    }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: 'th":"a"}' } }] }),
    chunk({}, 'tool_calls'),
    '[DONE]',
  )}`,
  responses: events(
    { type: 'response.created', response: { status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning' } },
    { type: 'response.reasoning_summary_text.delta', output_index: 0, delta: 'Hm. So.' },
    { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'Let me ' },
    { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'look 🦊' },
    {
      type: 'response.output_item.added',
      output_index: 2,
      item: { type: 'function_call', call_id: 'c1', name: 'read', arguments: '' },
    },
    { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{"path"' },
    { type: 'response.function_call_arguments.delta', output_index: 2, delta: ':"a"}' },
    {
      type: 'response.output_item.done',
      output_index: 2,
      item: { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"path":"a"}' },
    },
    {
      type: 'response.completed',
      response: { status: 'completed', output: [{ type: 'message' }] },
    },
  ),
  messages: events(
    { type: 'message_start', message: { content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
    {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'thinking_delta', thinking: 'Hm. So.' },
    },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'x' } },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Let me ' } },
    { type: 'ping' },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'look 🦊' } },
    {
      type: 'content_block_start',
      index: 2,
      content_block: { type: 'tool_use', id: 'c1', name: 'read', input: {} },
    },
    { type: 'content_block_delta', index: 2, delta: { partial_json: '{"path":' } },
    { type: 'content_block_delta', index: 2, delta: { partial_json: '"a"}' } },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
  ).concat('event: message_stop\ndata: {}\n\n'),
};
const FINISH = { chat: 'tool_calls', responses: 'completed', messages: 'tool_use' };

const DOCUMENTS: Readonly<Record<TextProtocol, object>> = {
  chat: {
    choices: [
      {
        message: {
          role: 'assistant',
          reasoning: 'Hm. So.',
          content: 'Let me look 🦊',
          tool_calls: [{ id: 'c1', function: { name: 'read', arguments: '{"path":"a"}' } }],
        },
        finish_reason: 'tool_calls',
      },
    ],
  },
  responses: {
    status: 'completed',
    output: [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm. So.' }] },
      { type: 'message', content: [{ type: 'output_text', text: 'Let me look 🦊' }] },
      { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"path":"a"}' },
    ],
  },
  messages: {
    type: 'message',
    content: [
      { type: 'thinking', thinking: 'Hm. So.' },
      { type: 'text', text: 'Let me look 🦊' },
      { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a' } },
    ],
    stop_reason: 'tool_use',
  },
};

describe.each(TextProtocol.options)('over %s', (protocol) => {
  const expected = {
    parts: [
      { kind: 'reasoning', text: 'Hm. So.' },
      { kind: 'text', text: 'Let me look 🦊' },
      { kind: 'call', id: 'c1', name: 'read', input: '{"path":"a"}', result: null },
    ],
    finish: FINISH[protocol],
    error: null,
    isComplete: true,
    diagnosis: null,
  };

  test('a stream and a document give the same answer', () => {
    expect(assemble(protocol, STREAMS[protocol])).toEqual(expected);
    expect(assemble(protocol, STREAMS[protocol], 'text/plain')).toEqual(expected);
    expect(assemble(protocol, STREAMS[protocol].replaceAll('\n', '\r\n'))).toEqual(expected);
    const document = JSON.stringify(DOCUMENTS[protocol]);
    expect(assemble(protocol, document, 'application/json')).toEqual(expected);
  });

  test('a stream that is cut anywhere gives the beginning of its answer', () => {
    const stream = STREAMS[protocol];
    fc.assert(
      fc.property(fc.nat(stream.length), (length) => {
        const cut = assemble(protocol, stream.slice(0, length));
        for (const [index, part] of (cut?.parts ?? []).entries()) {
          const whole = expected.parts[index];
          const text = 'text' in part ? part.text : part.kind === 'call' ? part.input : null;
          expect(whole?.text ?? whole?.input).toContain(text);
          expect(part.kind).toBe(whole?.kind);
        }
      }),
    );
    const half = stream.slice(0, stream.indexOf('🦊'));
    expect(assemble(protocol, half)).toMatchObject({ finish: null, isComplete: false });
  });

  test('a stream whose middle is missing gives what is there', () => {
    const stream = STREAMS[protocol];
    const from = stream.indexOf('Let me') - 20;
    const to = stream.indexOf('🦊') - 20;
    const body = {
      text: stream.slice(0, from) + stream.slice(to),
      contentType: 'text/event-stream',
      omitted: { at: from, bytes: to - from },
    };
    const { parts } = assembleResponse(protocol, body) ?? { parts: [] };
    expect(parts).toContainEqual({ kind: 'reasoning', text: 'Hm. So.' });
    expect(parts).toContainEqual(expected.parts[2]);
    expect(JSON.stringify(parts)).not.toContain('Let me');
  });

  test('no text makes it throw', () => {
    const scraps = fc.constantFrom(
      '{"type":"error"',
      '"choices":[',
      '[[]]',
      ':1}',
      'data:',
      '\n\n',
      ...STREAMS[protocol].split(/(?<=[,{\n])/u),
    );
    const texts = fc.array(fc.oneof(fc.string(), scraps)).map((all) => all.join(''));
    const types = fc.constantFrom('text/event-stream', 'application/json');
    fc.assert(
      fc.property(texts, types, (text, type) => {
        expect(Array.isArray(assemble(protocol, text, type)?.parts ?? [])).toBe(true);
      }),
    );
    const value = fc.json().map((json) => JSON.parse(json) as unknown);
    const names = fc.constantFrom(
      'type',
      'index',
      'choices',
      'delta',
      'message',
      'content',
      'content_block',
      'tool_calls',
      'function',
      'item',
      'output',
      'output_index',
      'response',
      'error',
      'input',
      'toString',
    );
    const kinds = fc.constantFrom(...(STREAMS[protocol].match(/(?<="type":")[\w.]+/gu) ?? ['']));
    const fields = fc.tuple(
      kinds,
      fc.dictionary(names, fc.oneof(value, fc.dictionary(names, value))),
    );
    fc.assert(
      fc.property(fields, ([type, more]) => {
        const text = JSON.stringify({ type, ...more });
        assemble(protocol, `data: ${text}\n\n`);
        assemble(protocol, text, 'application/json');
      }),
    );
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    for (const name of ['content', 'choices', 'output', 'error']) {
      assemble(protocol, `{"${name}":${deep}}`, 'application/json');
    }
  });
});

test.each([
  ['chat', { error: { message: 'Gone.' } }],
  ['messages', { type: 'error', error: { type: 'overloaded_error', message: 'Gone.' } }],
  ['responses', { type: 'error', message: 'Gone.' }],
  ['responses', { type: 'response.failed', response: { error: { message: 'Gone.' } } }],
] as const)('the error of a stream over %s is found in %j', (protocol, data) => {
  expect(assemble(protocol, events(data))).toMatchObject({ error: 'Gone.', parts: [] });
});

test('several choices are several texts', () => {
  const choices = [0, 1].map((index) => ({ index, delta: { content: `answer ${index}` } }));
  expect(assemble('chat', events({ choices }))?.parts).toEqual([
    { kind: 'text', text: 'answer 0' },
    { kind: 'text', text: 'answer 1' },
  ]);
});

test('a body that is no answer gives none', () => {
  expect(assemble('chat', '<!doctype html>', 'text/html')).toBeNull();
  expect(assemble('chat', '[]', 'application/json')).toBeNull();
  expect(assemble('chat', '{"data":[]}', 'application/json')).toBeNull();
  expect(assemble('chat', '', 'application/json')).toBeNull();
});
