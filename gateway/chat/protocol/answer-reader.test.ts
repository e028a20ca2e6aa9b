import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TextProtocol } from '../../../shared/chat/chat.ts';
import { AnswerReader, MAX_TEXT } from './answer-reader.ts';

const STREAM = 'text/event-stream; charset=utf-8';
const JSON_TYPE = 'application/json';

function read(protocol: TextProtocol, type: string | null, chunks: readonly Uint8Array[]) {
  const reader = new AnswerReader(protocol, type);
  let text = '';
  let reasoning = '';
  for (const delta of [...chunks.map((chunk) => reader.push(chunk)), reader.end()]) {
    text += delta.text;
    reasoning += delta.reasoning;
  }
  const { metadata, isComplete, isAtEnd, isTooLong } = reader;
  return { text, reasoning, whole: isComplete, ended: isAtEnd, tooLong: isTooLong, ...metadata };
}

function readText(protocol: TextProtocol, type: string | null, text: string) {
  return read(protocol, type, [Buffer.from(text)]);
}

function events(...data: readonly (object | string)[]): string {
  return data
    .map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`)
    .join('');
}

const chunk = (delta: object, more: object = {}, finish: string | null = null) => ({
  model: 'm-1',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});

const STREAMS: Readonly<Record<TextProtocol, string>> = {
  chat: `: keep-alive\r\n\r\n${events(
    chunk({ role: 'assistant', content: '' }),
    chunk({ reasoning_content: 'Hm. ' }),
    chunk({ reasoning: 'So.' }),
    chunk({ content: 'Héllo ' }),
    chunk({ content: '🦊' }),
    chunk({}, {}, 'stop'),
    { choices: [], usage: { prompt_tokens: 1, cost: 0.25, cost_details: {} } },
    '[DONE]',
  )}`,
  responses: events(
    { type: 'response.created', response: { model: 'm-1', status: 'in_progress' } },
    { type: 'response.reasoning_summary_part.added', summary_index: 0 },
    { type: 'response.reasoning_summary_text.delta', delta: 'Hm. So.' },
    { type: 'response.output_text.delta', delta: 'Héllo ' },
    { type: 'response.output_text.delta', delta: '🦊' },
    {
      type: 'response.completed',
      response: {
        model: 'm-1',
        status: 'completed',
        error: null,
        output: [{ type: 'message', content: [{ type: 'output_text', text: 'Héllo 🦊' }] }],
        usage: { total_cost: 0.25 },
      },
    },
  ),
  messages: events(
    { type: 'message_start', message: { model: 'm-1', content: [], usage: { input_tokens: 1 } } },
    { type: 'content_block_start', content_block: { type: 'thinking', thinking: '' } },
    { type: 'content_block_delta', delta: { type: 'thinking_delta', thinking: 'Hm. So.' } },
    { type: 'content_block_delta', delta: { type: 'text_delta', text: 'Héllo ' } },
    { type: 'ping' },
    { type: 'content_block_delta', delta: { type: 'text_delta', text: '🦊' } },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { charged_tokens: 9, price_in_usd: 0.25 },
    },
  ).concat('event: message_stop\ndata: {}\n\n'),
};
const FINISH = { chat: 'stop', responses: 'completed', messages: 'end_turn' };
const FIELD = { chat: 'cost', responses: 'total_cost', messages: 'price_in_usd' };

const WHOLE: Readonly<Record<TextProtocol, object>> = {
  chat: {
    model: 'm-1',
    choices: [{ message: { content: 'Hi', reasoning: 'Hm.' }, finish_reason: 'length' }],
  },
  responses: {
    object: 'response',
    model: 'm-1',
    status: 'incomplete',
    incomplete_details: { reason: 'length' },
    output: [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] },
    ],
  },
  messages: {
    type: 'message',
    model: 'm-1',
    content: [
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'Hi' },
    ],
    stop_reason: 'length',
  },
};

describe.each(TextProtocol.options)('over %s', (protocol) => {
  test('a stream is read to its end in any chunks', () => {
    const bytes = Buffer.from(STREAMS[protocol]);
    const expected = {
      text: 'Héllo 🦊',
      reasoning: 'Hm. So.',
      model: 'm-1',
      finish: FINISH[protocol],
      cost: { amount: 0.25, field: `usage.${FIELD[protocol]}` },
      error: null,
      kind: 'answer',
      whole: true,
      ended: true,
      tooLong: false,
    };
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
        const at = [0, ...cuts.toSorted((one, other) => one - other), bytes.length];
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        expect(read(protocol, STREAM, chunks)).toEqual(expected);
      }),
    );
    expect(readText(protocol, 'text/plain', STREAMS[protocol])).toEqual(expected);
  });

  test('an answer that is not streamed is read, though a stream was requested', () => {
    expect(readText(protocol, JSON_TYPE, JSON.stringify(WHOLE[protocol]))).toMatchObject({
      text: 'Hi',
      reasoning: 'Hm.',
      model: 'm-1',
      finish: 'length',
      whole: true,
    });
  });

  test('a stream without its end is incomplete and keeps its text', () => {
    const half = STREAMS[protocol].slice(0, STREAMS[protocol].indexOf('🦊') - 20);
    expect(readText(protocol, STREAM, half)).toMatchObject({ text: 'Héllo ', whole: false });
  });

  test('arbitrary bytes never make the answer reader throw', () => {
    const scraps = fc.constantFrom(
      '{"type":"error"',
      '"choices":[',
      '[[]]',
      ':1}',
      ...STREAMS[protocol].split(/(?<=[,{\n])/u),
    );
    const garbage = fc.array(
      fc.oneof(
        fc.uint8Array(),
        scraps.map((scrap) => Buffer.from(scrap)),
      ),
    );
    const types = fc.constantFrom(STREAM, JSON_TYPE, null);
    fc.assert(
      fc.property(garbage, types, (chunks, type) => {
        const { text, kind } = read(protocol, type, chunks);
        expect(typeof text + kind).toMatch(/^string(?:answer|empty|page|other)$/u);
      }),
    );
    const values = fc.json().map((json) => JSON.parse(json) as unknown);
    const fields = fc.dictionary(
      fc.constantFrom(
        'type',
        'choices',
        'delta',
        'response',
        'error',
        'content',
        'usage',
        'message',
      ),
      values,
    );
    fc.assert(
      fc.property(fields, (data) => {
        expect(read(protocol, STREAM, [Buffer.from(events(data))]).tooLong).toBe(false);
        expect(read(protocol, JSON_TYPE, [Buffer.from(JSON.stringify(data))]).ended).toBe(true);
      }),
    );
  });
});

test.each([
  ['chat', { error: { message: 'Gone.', code: 503, type: 'api_error' } }, '503'],
  ['chat', { error: 'Gone.' }, null],
  ['messages', { type: 'error', error: { message: 'Gone.', type: 'overloaded' } }, 'overloaded'],
  ['responses', { type: 'error', message: 'Gone.', code: 'server_error' }, 'server_error'],
  [
    'responses',
    {
      type: 'response.failed',
      response: { status: 'failed', error: { message: 'Gone.', code: 'x' } },
    },
    'x',
  ],
] as const)('an error in a stream is found, over %s as %j', (protocol, data, code) => {
  const found = readText(protocol, STREAM, STREAMS[protocol].split('data: [DONE]')[0] ?? '');
  expect(found.error).toBeNull();
  expect(readText(protocol, STREAM, events(data))).toMatchObject({
    error: { message: 'Gone.', code, param: null },
    ended: true,
  });
});

test('a Responses stream without deltas is read from its last event', () => {
  const response = { ...WHOLE.responses, status: 'completed', incomplete_details: null };
  const stream = events({ type: 'response.completed', response });
  expect(readText('responses', STREAM, stream)).toMatchObject({ text: 'Hi', reasoning: 'Hm.' });
});

test('an empty body, a page and other content are distinguished from an answer', () => {
  expect(readText('chat', 'text/html', '<!doctype html><p>Log in').kind).toBe('page');
  expect(readText('chat', JSON_TYPE, '[]').kind).toBe('other');
  expect(readText('chat', JSON_TYPE, ' ').kind).toBe('empty');
  expect(readText('chat', STREAM, ': nothing\n\n').kind).toBe('empty');
});

test('an endless text is buffered up to its limit', () => {
  const reader = new AnswerReader('chat', STREAM);
  const mebibyte = Buffer.from(events(chunk({ content: 'x'.repeat(1024 * 1024) })));
  let length = 0;
  for (let turn = 0; turn < 10; turn += 1) length += reader.push(mebibyte).text.length;
  expect([length, reader.isTooLong]).toEqual([MAX_TEXT, true]);
});
