import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { thoughtIn } from './think.ts';

test('what a model thinks aloud at the beginning of its text is reasoning', () => {
  expect(thoughtIn('<think>\nHm.\n</think>\n\nYes.', '')).toEqual({
    reasoning: 'Hm.',
    text: 'Yes.',
    open: false,
  });
  expect(thoughtIn('Yes. <think>no</think>', 'Hm.')).toEqual({
    reasoning: 'Hm.',
    text: 'Yes. <think>no</think>',
    open: false,
  });
});

test('as long as the thought is open, nothing of it is text', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (thought, text) => {
      fc.pre(!thought.includes('<') && !/^\s/u.test(text));
      expect(thoughtIn(`<think>${thought}`, '')).toEqual({
        reasoning: thought.trim(),
        text: '',
        open: true,
      });
      expect(thoughtIn(`<think>${thought}</think>${text}`, '')).toMatchObject({
        text,
        open: false,
      });
    }),
  );
});
