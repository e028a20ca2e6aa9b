import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { UserMessage } from '../../../shared/chat/chat.ts';
import { createTitle } from './title.ts';

const FILES: UserMessage['files'] = [{ kind: 'text', name: 'notes.md', text: 'words' }];

test.each([
  ['What is a fox?', 'What is a fox?'],
  ['\n\n  ## **Plan** for `today`\nmore', 'Plan for today'],
  ['> quoted _words_ and snake_case', 'quoted words and snake_case'],
  ['- [ ] buy ~~milk~~ bread', 'buy milk bread'],
  ['1. See [the page](https://example.com/a?b) now', 'See the page now'],
  ['```ts\nconst a = 1;\n```', 'const a = 1;'],
  ['---\n***\nAfter rules', 'After rules'],
  ['| a | b |\n|---|---|', 'a | b |'],
  ['```', '```'],
  ['word '.repeat(20), `${'word '.repeat(11)}word…`],
  ['a'.repeat(80), `${'a'.repeat(59)}…`],
  [`${'a'.repeat(58)}🦊🦊`, `${'a'.repeat(58)}…`],
])('the message %j has the title %j', (text, title) => {
  expect(createTitle({ text, files: [] })).toBe(title);
});

test('a file names the conversation when the message has no text', () => {
  expect(createTitle({ text: ' \n', files: FILES })).toBe('notes.md');
});

test('every message has a short title of one line without split characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }), (text) => {
      const title = createTitle({ text, files: FILES });
      expect(title.length).toBeLessThanOrEqual(60);
      expect(title).not.toMatch(/[\r\n]/u);
      expect(title).not.toBe('');
      expect(title.isWellFormed() || !text.isWellFormed()).toBe(true);
    }),
  );
  expect(createTitle({ text: '['.repeat(250_000), files: [] }).length).toBeLessThanOrEqual(60);
});
