import { assert, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { toSafeUrl, isMisleadingLink } from './safe-url.ts';
import { normalizeMath } from './normalize-math.ts';
import { closeIncompleteMarkdown } from './blocks/close-incomplete.ts';

test.each([
  ['$5 and $6', '\\$5 and \\$6'],
  ['$HOME/$USER for 5 dollars', '\\$HOME/\\$USER for 5 dollars'],
  ['so $x^2$, that is \\(y\\)', 'so $x^2$, that is $y$'],
  ['\\[ z \\] and $$w$$', '$$z$$ and $$w$$'],
  ['`$a$ \\(b\\)` and ``$`$``', '`$a$ \\(b\\)` and ``$`$``'],
  ['\\$5 \\(open', '\\$5 \\(open'],
])('formulas are told from prices and code: %s', (written, meant) => {
  expect(normalizeMath(written)).toBe(meant);
});

test('a text without dollars and backslashes has no formulas', () => {
  assert(
    property(string(), (text) => {
      const plain = text.replaceAll(/[$\\]/gu, '');
      expect(normalizeMath(plain)).toBe(plain);
    }),
  );
});

test.each([
  ['some **bold', 'some **bold**'],
  ['some **bold*', 'some **bold**'],
  ['some **', 'some '],
  ['a `code', 'a `code`'],
  ['see [the words](https://exa', 'see the words'],
  ['see [the wo', 'see the wo'],
  ['an ![image](https://exa', 'an '],
  ['words\n-', 'words'],
  ['words <det', 'words '],
  ['| a | b |', '| a | b |\n|---|---|'],
  ['whole **bold** and `code`.', 'whole **bold** and `code`.'],
])('what is half there does not show its marks: %s', (text, shown) => {
  expect(closeIncompleteMarkdown({ kind: 'prose', text })).toBe(shown);
});

test('links lead to the web and to mail, and nowhere else', () => {
  for (const written of [
    'javascript:x',
    'java\nscript:x',
    ' data:x',
    '/a',
    '//a.b',
    '#a',
    'https://a:b@c.d',
  ]) {
    expect(toSafeUrl(written)).toBeNull();
  }
  expect(toSafeUrl('https://a.b/c?d#e')).toBe('https://a.b/c?d#e');
  expect(toSafeUrl('mailto:a@b.c')).toBe('mailto:a@b.c');
});

test('a link whose words name another place is seen through', () => {
  expect(isMisleadingLink('https://good.example', 'https://evil.example/')).toBe(true);
  expect(isMisleadingLink('good.example/a', 'https://evil.example/')).toBe(true);
  expect(isMisleadingLink('www.good.example', 'https://good.example/x')).toBe(false);
  expect(isMisleadingLink('these words', 'https://evil.example/')).toBe(false);
});
