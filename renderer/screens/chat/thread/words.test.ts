import { expect, test } from 'vitest';
import { finishWords } from './finish-words.ts';
import { settingOf, suspicion } from './problem-words.ts';

test('only an end that is not simply the end is told', () => {
  expect(['stop', 'end_turn', 'completed', null].map(finishWords)).toEqual([
    null,
    null,
    null,
    null,
  ]);
  expect(
    ['length', 'max_tokens', 'max_output_tokens', 'content_filter', 'odd'].map(finishWords),
  ).toEqual([
    'Cut at the token limit',
    'Cut at the token limit',
    'Cut at the token limit',
    'Held back by a content filter',
    'Ended with “odd”',
  ]);
});

test('a suspect is named, the likeliest first, and led back to its setting', () => {
  const problem = { by: 'service', status: 400, code: null, sentence: '' } as const;
  expect(suspicion({ ...problem, suspects: ['temperature', 'max_tokens'] })).toBe(
    'The suspect is temperature. If not that, then max_tokens.',
  );
  expect(suspicion({ ...problem, suspects: [] })).toBeNull();
  expect(['temperature', 'max_completion_tokens', 'stream_options'].map(settingOf)).toEqual([
    { setting: 'temperature', words: 'temperature' },
    { setting: 'maxTokens', words: 'the token limit' },
    null,
  ]);
});
