import { expect, test } from 'vitest';
import { findMasked } from './find-masked.ts';
import { parseRequest } from './parse-request.ts';

function find(body: object): readonly string[] {
  const conversation = parseRequest('messages', { text: JSON.stringify(body), omitted: null });
  return conversation === null ? ['no conversation'] : findMasked(conversation);
}

test('a secret is found in the result of the tool that read it', () => {
  const call = { type: 'tool_use', id: 'a', name: 'Read', input: { file_path: '.env' } };
  const result = { type: 'tool_result', tool_use_id: 'a', content: 'TOKEN=<key>' };
  const other = { ...call, id: 'b', name: 'Bash', input: { command: 'echo <key>' } };
  expect(
    find({
      messages: [
        { role: 'user', content: 'Look.' },
        { role: 'assistant', content: [call, other] },
        { role: 'user', content: [result, { type: 'tool_result', tool_use_id: 'b', content: '' }] },
      ],
    }),
  ).toEqual(['the result of Read ({"file_path":".env"})', 'a call of Bash']);
});

test('a secret is found in the system prompt, in a message, in a tool and in a parameter', () => {
  expect(
    find({
      system: 'Use <service key>.',
      metadata: '<local key>',
      tools: [{ name: 'x', description: '<key>' }],
      messages: [
        { role: 'user', content: '<key>' },
        { role: 'assistant', content: 'I saw <key>.' },
      ],
    }),
  ).toEqual([
    'the system prompt',
    'a message of the user',
    'an earlier answer',
    'a definition of a tool',
    'a parameter',
  ]);
});

test('a request without secrets has none, whatever is in it', () => {
  expect(
    find({ messages: [{ role: 'user', content: [{ type: 'new', value: 1 }, 'key'] }] }),
  ).toEqual([]);
});
