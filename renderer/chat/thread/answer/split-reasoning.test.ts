import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitReasoning } from './split-reasoning.ts';

test('thoughts at the beginning of a model’s text are reasoning', () => {
  expect(splitReasoning('<think>\nHm.\n</think>\n\nYes.', '')).toEqual({
    reasoning: 'Hm.',
    text: 'Yes.',
    open: false,
  });
  expect(splitReasoning('Yes. <think>no</think>', 'Hm.')).toEqual({
    reasoning: 'Hm.',
    text: 'Yes. <think>no</think>',
    open: false,
  });
});

test('as long as the thought is open, nothing of it is text', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (thought, text) => {
      fc.pre(!thought.includes('<') && !/^\s/u.test(text));
      expect(splitReasoning(`<think>${thought}`, '')).toEqual({
        reasoning: thought.trim(),
        text: '',
        open: true,
      });
      expect(splitReasoning(`<think>${thought}</think>${text}`, '')).toMatchObject({
        text,
        open: false,
      });
    }),
  );
});
