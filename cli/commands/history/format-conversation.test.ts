import { assert, expect, test } from 'vitest';
import { formatConversation, parseConversation } from './format-conversation.ts';

const toBody = (messages: readonly unknown[]) => ({
  text: JSON.stringify({ model: 'm', messages }),
  binary: false,
  bytes: 0,
  contentType: 'application/json',
  omitted: null,
  masked: 0,
  eventTimes: null,
});

const call = (id: string) => ({
  id,
  type: 'function',
  function: { name: 'run', arguments: '{}' },
});

test.each([
  ['', 'Result of run: (empty)'],
  ['Done.', 'Result of run: Done.'],
])('the result %j of a tool is below its call', (content, expected) => {
  const conversation = parseConversation(
    toBody([
      { role: 'assistant', content: null, tool_calls: [call('a')] },
      { role: 'tool', tool_call_id: 'a', content },
    ]),
    'chat',
  );
  assert(conversation !== null);
  expect(formatConversation(conversation)).toContain(`Call of run: {}\n${expected}`);
});

test('an empty result that is an error is named', () => {
  const conversation = parseConversation(
    toBody([
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'a', name: 'run', input: {} }],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'a', content: '', is_error: true }],
      },
    ]),
    'messages',
  );
  assert(conversation !== null);
  expect(formatConversation(conversation)).toContain('Result of run, an error: (empty)');
});

test('what was rebuilt is marked before the messages that were sent', () => {
  const items = JSON.stringify([{ role: 'user', content: 'My cat is Mia.' }]);
  const body = { ...toBody([]), text: JSON.stringify({ input: 'Who?' }) };
  const flags = { start: 'whole', gap: null, isCutOff: true, isAmbiguous: false } as const;
  const conversation = parseConversation(body, 'responses', { items, count: 1, ...flags });
  assert(conversation !== null);
  expect(formatConversation(conversation)).toContain(
    'User: My cat is Mia.\n\n(1 earlier message, rebuilt from the requests before, which the service has stored. A response among them is not complete. This request sent only what follows.)\n\nUser: Who?',
  );
});

test('the result that a request sent is below the mark, with the name of its call', () => {
  const items = JSON.stringify([
    { type: 'function_call', call_id: 'c1', name: 'ls', arguments: '{"path":"."}' },
  ]);
  const input = [{ type: 'function_call_output', call_id: 'c1', output: 'a.txt' }];
  const body = { ...toBody([]), text: JSON.stringify({ input }) };
  const flags = { start: 'whole', gap: null, isCutOff: false, isAmbiguous: false } as const;
  const conversation = parseConversation(body, 'responses', { items, count: 1, ...flags });
  assert(conversation !== null);
  expect(formatConversation(conversation)).toMatch(
    /sent only what follows\.\)\n\nResult of ls \(\{"path":"\."\}\): a\.txt$/u,
  );
});
