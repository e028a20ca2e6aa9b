import { expect, test } from 'vitest';
import { describeFinish } from './answer-facts.tsx';
import { findSetting, describeSuspect } from './problem-text.ts';

test('only an end that is not simply the end is told', () => {
  expect(['stop', 'end_turn', 'completed', null].map(describeFinish)).toEqual([
    null,
    null,
    null,
    null,
  ]);
  expect(
    ['length', 'max_tokens', 'max_output_tokens', 'content_filter', 'odd'].map(describeFinish),
  ).toEqual([
    'Cut off at the token limit',
    'Cut off at the token limit',
    'Cut off at the token limit',
    'Blocked by a content filter',
    'Ended with “odd”',
  ]);
});

test('a suspect is named, the likeliest first, and led back to its setting', () => {
  const problem = { by: 'service', status: 400, code: null, sentence: '' } as const;
  expect(describeSuspect({ ...problem, suspects: ['temperature', 'max_tokens'] })).toBe(
    'The likely cause is temperature. If not that, then max_tokens.',
  );
  expect(describeSuspect({ ...problem, suspects: [] })).toBeNull();
  expect(['temperature', 'max_completion_tokens', 'stream_options'].map(findSetting)).toEqual([
    { setting: 'temperature', name: 'temperature' },
    { setting: 'maxTokens', name: 'the token limit' },
    null,
  ]);
});
