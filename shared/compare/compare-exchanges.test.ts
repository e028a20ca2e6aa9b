import { expect, test } from 'vitest';
import type { ExchangeBodies, StoredBody } from '../exchange/body.ts';
import { ExchangeRecord } from '../exchange/exchange.ts';
import { compareExchanges, type Comparison } from './compare-exchanges.ts';

function anExchange(fields: object = {}): ExchangeRecord {
  return ExchangeRecord.parse({
    id: 'ex-1',
    startedAt: 0,
    times: 1,
    lastAt: 0,
    service: null,
    clientId: null,
    clientName: 'Cline',
    conversation: null,
    userAgent: null,
    route: 'chat',
    method: 'POST',
    pathReceived: '/v1/chat/completions',
    pathSent: '/v1/chat/completions',
    modelAsked: 'small',
    modelSent: 'small',
    modelServed: 'small',
    streamed: false,
    status: 200,
    errorCode: null,
    errorMessage: null,
    endedBy: 'service',
    repairs: [],
    attempts: 1,
    bytesIn: 10,
    bytesOut: 20,
    firstByteMs: 5,
    durationMs: 90,
    overheadMs: 1,
    usage: {
      input: 5,
      output: 6,
      cacheRead: null,
      cacheWrite: null,
      cacheWriteHour: null,
      media: null,
      reasoning: null,
      source: 'reported',
    },
    ...fields,
  });
}

function aBody(value: unknown): StoredBody {
  return {
    text: JSON.stringify(value),
    binary: false,
    bytes: 1,
    contentType: 'application/json',
    omitted: null,
    masked: 0,
    eventTimes: null,
  };
}

const answer = (content: string) => ({ choices: [{ message: { role: 'assistant', content } }] });

function someBodies(request: unknown, response: unknown = null): ExchangeBodies {
  const returned = response === null ? null : aBody(response);
  return { state: 'kept', received: null, sent: aBody(request), returned };
}

function compare(before: unknown, after: unknown, fields: object = {}): Comparison {
  return compareExchanges(
    { exchange: anExchange(), bodies: someBodies(before, answer('It is red.')) },
    { exchange: anExchange(fields), bodies: someBodies(after, answer('It is blue.')) },
  );
}

const user = (content: string) => ({ role: 'user', content });
const tool = (name: string, description: string) => ({
  type: 'function',
  function: { name, description },
});

test('what Gatehouse asked the service itself is no difference', () => {
  const request = { model: 'small', messages: [user('one')] };
  const question = { diagnostics: { previous_message_id: 'msg_1' } };
  const after = JSON.stringify(question).slice(1, -1);
  const repairs = [{ code: 'cache-reason-asked', before: '', after, advice: '' }];
  const asked = { ...request, ...question };
  expect(compare(request, asked, { repairs }).request).toMatchObject({ parameters: [] });
  expect(compare(request, asked).request).toMatchObject({ parameters: [{}] });
});

test('messages are aligned, and what changed in them is found', () => {
  const before = {
    model: 'small',
    seed: 1,
    tools: [tool('read', 'Reads a file.'), tool('old', '')],
    messages: [
      { role: 'system', content: 'Today is Monday.' },
      user('one'),
      user('two'),
      user('gone'),
    ],
  };
  const after = {
    model: 'small',
    seed: 2,
    response_format: { type: 'json_object' },
    tools: [tool('read', 'Reads a whole file.'), tool('new', '')],
    messages: [
      { role: 'system', content: 'Today is Tuesday.' },
      user('one'),
      user('two'),
      { role: 'assistant', content: 'three' },
    ],
  };
  const { request, answer: answers } = compare(before, after);
  expect(request).toMatchObject({
    kind: 'conversation',
    parameters: [
      { path: 'seed', before: 1, after: 2 },
      { path: 'response_format', after: { type: 'json_object' } },
    ],
    tools: [
      { name: 'read', kind: 'changed' },
      { name: 'old', kind: 'removed' },
      { name: 'new', kind: 'added' },
    ],
    messages: [
      {
        kind: 'changed',
        role: 'system',
        pieces: [
          { kind: 'same', text: 'Today is ' },
          { kind: 'removed', text: 'Monday' },
          { kind: 'added', text: 'Tuesday' },
          { kind: 'same', text: '.' },
        ],
      },
      { kind: 'same', count: 2 },
      { kind: 'removed', role: 'user', pieces: [{ text: 'gone' }] },
      { kind: 'added', role: 'assistant', pieces: [{ text: 'three' }] },
    ],
  });
  expect(answers?.map(({ text }) => text)).toEqual(['It is ', 'red', 'blue', '.']);
});

test('facts are compared as they are shown', () => {
  const { facts } = compare({ messages: [] }, { messages: [] }, { status: 500, durationMs: 1_500 });
  expect(facts.filter(({ before, after }) => before !== after)).toEqual([
    { name: 'Status', before: '200', after: '500' },
    { name: 'Time', before: '90 ms', after: '1.5 s' },
  ]);
  expect(facts.map(({ name }) => name)).not.toContain('Reasoning');
});

test('requests that are no conversation are compared as text, and missing ones are named', () => {
  const { request } = compare({ input: 'a b' }, { input: 'a c' });
  expect(request).toMatchObject({ kind: 'text' });
  const none: ExchangeBodies = { state: 'absent', received: null, sent: null, returned: null };
  const kept = { exchange: anExchange(), bodies: someBodies({}, answer('x')) };
  const absent = compareExchanges(kept, { exchange: anExchange(), bodies: none });
  expect(absent).toMatchObject({ request: null, answer: null });
});

test('of requests whose middle is not kept the rest is compared, and that is said', () => {
  const list = Array.from({ length: 9 }, (_, at) => user(`message ${at}`));
  const { text } = aBody({ temperature: 1, messages: list });
  const middle = text.indexOf('message 4');
  const cut = (body: string): StoredBody => ({
    ...aBody(''),
    text: body.slice(0, middle - 30) + body.slice(middle + 30),
    omitted: { at: middle - 30, bytes: 60 },
  });
  const bodies = (body: string) => ({ ...someBodies({}, answer('x')), sent: cut(body) });
  const compared = compareExchanges(
    { exchange: anExchange(), bodies: bodies(text) },
    { exchange: anExchange(), bodies: bodies(text.replace('message 8', 'message 9')) },
  );
  expect(compared.isIncomplete).toBe(true);
  expect(compared.request).toMatchObject({
    parameters: [],
    messages: [{ kind: 'same' }, { kind: 'changed' }],
  });
  expect(compare({ messages: [] }, { messages: [] }).isIncomplete).toBe(false);
});

/** A request with more messages than are aligned. */
const aThousand = (word: string) => ({
  messages: Array.from({ length: 1_200 }, (_, at) => user(`${word} ${at} ${'text '.repeat(100)}`)),
});

test('a thousand other messages are compared in their order', () => {
  const { request } = compare(aThousand('one'), aThousand('two'));
  if (request?.kind !== 'conversation') throw new Error('It is a conversation.');
  expect(request.messages).toHaveLength(1_200);
  expect(request.messages[700]).toMatchObject({ kind: 'changed', role: 'user' });
});

test('what was rebuilt is compared, and its mark is a sentence beside the messages', () => {
  const exchange = anExchange({ route: 'responses' });
  const items = JSON.stringify([user('My cat is Mia.')]);
  const flags = { start: 'whole', gap: null, isCutOff: false, isAmbiguous: false } as const;
  const rebuilt = {
    ...someBodies({ input: 'Who?', previous_response_id: 'resp_1' }),
    earlier: { items, count: 1, ...flags },
  };
  const whole = someBodies({ input: [user('My cat is Mia.'), user('Who?')] });
  const { request } = compareExchanges({ exchange, bodies: whole }, { exchange, bodies: rebuilt });
  expect(request).toMatchObject({
    messages: [{ kind: 'same', count: 2 }],
    rebuilt: {
      before: null,
      after: expect.stringMatching(/^1 earlier message, rebuilt .* sent only what follows\.$/u),
    },
  });
});

test('a result that a request sent, and the same one as the next request has it, are the same', () => {
  const exchange = anExchange({ route: 'responses' });
  const call = { type: 'function_call', call_id: 'c1', name: 'ls', arguments: '{}' };
  const result = { type: 'function_call_output', call_id: 'c1', output: 'a.txt' };
  const flags = { start: 'whole', gap: null, isCutOff: false, isAmbiguous: false } as const;
  const rebuild = (items: readonly object[], input: readonly object[]) => ({
    ...someBodies({ input, previous_response_id: 'resp_1' }),
    earlier: { items: JSON.stringify(items), count: items.length, ...flags },
  });
  const one = rebuild([user('List.'), call], [result]);
  const next = rebuild([user('List.'), call, result], [user('Go on.')]);
  const { request } = compareExchanges({ exchange, bodies: one }, { exchange, bodies: next });
  expect(request).toMatchObject({
    messages: [
      { kind: 'same', count: 2 },
      { kind: 'added', role: 'user' },
    ],
  });
});

test('messages to which a client gives the roles of marks are compared, too', () => {
  for (const role of ['earlier', 'omitted']) {
    const say = (content: string) => ({ messages: [{ role, content }] });
    const { request } = compare(say('One.'), say('Two.'));
    expect(request).toMatchObject({
      messages: [{ kind: 'changed', role }],
      rebuilt: { before: null, after: null },
    });
  }
});
