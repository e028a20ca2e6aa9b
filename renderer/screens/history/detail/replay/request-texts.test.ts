import { describe, expect, test } from 'vitest';
import type { ReplayableRequest } from '../../../../../shared/replay.ts';
import { findLastUserMessage, parseTexts, toTexts } from './request-texts.ts';

function request(
  fields: Record<string, unknown>,
  protocol: ReplayableRequest['protocol'] = 'chat',
) {
  const text = JSON.stringify(fields);
  return { protocol, path: '/v1/chat/completions', headers: [], text, fields };
}

const CHAT = request({
  temperature: 1,
  model: 'm',
  messages: [{ role: 'user', content: 'Hi' }],
  stream: true,
});

describe('a request', () => {
  test('that nobody edited has no changes', () => {
    expect(parseTexts(CHAT, toTexts(CHAT)).changes).toEqual({ changed: {}, removed: [] });
    const responses = request({ model: 'm', input: 'Hi' }, 'responses');
    expect(toTexts(responses)).toEqual({ messages: '"Hi"', fields: '{}' });
    expect(parseTexts(responses, toTexts(responses)).changes).toEqual({ changed: {}, removed: [] });
  });

  test('has the changed, added and removed fields as changes', () => {
    const texts = { messages: '[]', fields: '{"temperature":0.2,"top_p":null}' };
    expect(parseTexts(CHAT, texts).changes).toEqual({
      changed: { temperature: 0.2, top_p: null, messages: [] },
      removed: ['stream'],
    });
  });

  test.each([
    ['[\n  {', '{}', 'This is not valid JSON: see line 2, column 4.', null],
    ['[1,]', '{}', 'This is not valid JSON: see line 1, column 4.', null],
    ['{}', '{}', 'The messages are a JSON array.', null],
    ['"x"', '{}', 'The messages are a JSON array.', null],
    ['[]', '', null, 'This is not valid JSON: see line 1, column 1.'],
    ['[]', '[]', null, 'The fields are a JSON object.'],
    ['[]', '{"model":"x"}', null, 'Choose the model above, and remove "model" here.'],
    ['[]', '{"messages":[]}', null, 'Edit the messages above, and remove "messages" here.'],
    [JSON.stringify(['é'.repeat(500_001)]), '{}', expect.stringContaining('1 MB'), null],
  ])('with messages %.20s and fields %s is refused', (messages, fields, ...[one, other]) => {
    const { errors } = parseTexts(CHAT, { messages, fields });
    expect(errors).toEqual({ messages: one, fields: other });
  });
});

test.each([
  [[{ role: 'system' }, { role: 'user', content: 'Hi' }, { role: 'assistant' }], '"Hi"'],
  [[{ role: 'user', content: 'Hi' }], '"Hi"'],
])('the last message of the user in %j begins where %s is found next', (messages, content) => {
  const text = toTexts(request({ messages })).messages;
  const from = findLastUserMessage(text);
  expect(text.slice(from)).toMatch(/^[,[]\n {2}\{\n {4}"role": "user"/u);
  expect(text.slice(from)).toContain(content);
});

test('without a message of the user the messages begin at their beginning', () => {
  expect(findLastUserMessage('[{"role":"system"}]')).toBe(0);
  expect(findLastUserMessage('"Hi"')).toBe(0);
});
