import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { findStableText } from './stable-text.ts';

test.each([
  ['Fix the parser.', 'Fix the parser.'],
  ['Fix the\n  parser in /home/me/project/src/parse.ts and test it.', 'Fix the parser in'],
  ['Read C:\\Users\\Me\\notes.txt, then say its last word.', ', then say its last word.'],
  ['2026-11-21T10:00:00Z starting', 'starting'],
  ['Today is Saturday, November 21, 2026. Summarize my mail.', 'Summarize my mail.'],
  ['{"temperature":21,"weather":"sunny all day"}', '{"temperature"'],
  ['call_8f3a2 done', 'done'],
  ['https://example.com/a 42', null],
  ['', null],
  ['ab 1 abc 2 a', 'abc'],
])('%j', (text, expected) => {
  expect(findStableText([text])).toBe(expected);
});

const say = (day: string, folder: string) =>
  `<cwd>${folder}</cwd> It is ${day}. In ${folder}/src is a program that does not start.`;

test('it is the same in a session on another day, in another folder', () => {
  expect(findStableText([say('Mon Nov 23 2026 10:00 PM', '/tmp/a-1')])).toBe(
    findStableText([say('Fri Jan 01 2027 9:30 AM', '/var/folders/xy/T/b')]),
  );
});

test('a part is within one text', () => {
  expect(findStableText(['Fix 1', 'the parser', 'in 2'])).toBe('the parser');
  expect(findStableText(['Fix it', 'and test the parser'])).toBe('and test the parser');
});

test('any text has a part of it, or none', () => {
  const word = fc.constantFrom('text', '/tmp/x', '12:30', '🦊', '"', '  ', 'May', '<key>');
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), word)), (words) => {
      const text = words.join(' ');
      const found = findStableText([text]);
      if (found === null) return;
      expect(text.replaceAll(/\s+/gu, ' ')).toContain(found);
      expect(found).not.toMatch(/[\d/\\]/u);
      expect(Array.from(found).length).toBeLessThanOrEqual(120);
    }),
  );
});
