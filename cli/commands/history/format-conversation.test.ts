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
