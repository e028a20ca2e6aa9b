import { array, assert, constantFrom, integer, oneof, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { listBlocks, type Block, appendText, NO_BLOCKS } from './block-list.ts';

const PIECES = [
  '\n',
  '\n\n',
  ' ',
  '  ',
  '    ',
  '\t',
  '\r\n',
  'word ',
  '# ',
  '> ',
  '- ',
  '* ',
  '1. ',
  '2) ',
  '```',
  '```js\n',
  '~~~',
  '$$',
  '$',
  '\\[',
  '\\]',
  '|',
  '|---|',
  '| a | b |\n',
  '---',
  '===',
  '[^1]: ',
  '[a]: /b',
  '<div>',
  '</div>',
  '<!--',
  '-->',
  '<details>\n',
  '`',
  '**',
  'é',
  '😀',
  'x'.repeat(5000),
  '- y\n'.repeat(1700),
  ' z'.repeat(4100),
];

const text = array(oneof({ weight: 9, arbitrary: constantFrom(...PIECES) }, string()), {
  maxLength: 60,
}).map((pieces) => pieces.join(''));

test('however a text is cut into increments, its blocks are the same, and a finished one never changes', () => {
  assert(
    property(text, array(integer({ min: 1, max: 400 }), { minLength: 1 }), (whole, steps) => {
      let blocks = NO_BLOCKS;
      let at = 0;
      for (let turn = 0; at < whole.length; turn += 1) {
        at += steps[turn % steps.length] ?? 1;
        const before = blocks.finished;
        blocks = appendText(blocks, whole.slice(0, at));
        expect(blocks.finished.slice(0, before.length)).toEqual(before);
        expect(listBlocks(blocks).slice(0, before.length)).toEqual(before);
      }
      expect(listBlocks(blocks)).toEqual(toBlocks(whole));
    }),
    { numRuns: 300 },
  );
});

test('blocks hold the whole text in its order; between them are blank lines only', () => {
  assert(
    property(text, (whole) => {
      let at = 0;
      for (const block of toBlocks(whole)) {
        expect(whole.slice(at, block.from).trim()).toBe('');
        expect(whole.startsWith(block.text, block.from)).toBe(true);
        at = block.from + block.text.length;
      }
      expect(whole.slice(at).trim()).toBe('');
    }),
  );
});

test('no block but code and tables grows without end', () => {
  assert(
    property(text, (whole) => {
      for (const {
        kind,
        text: { length },
      } of toBlocks(whole.repeat(4))) {
        if (kind !== 'code' && kind !== 'table') expect(length).toBeLessThan(60_000);
      }
    }),
    { numRuns: 50 },
  );
});

test('a block is not split where its parts belong together', () => {
  expect(listKinds('Words:\n- one\n\n  more of it\n- two\n\nAnd on')).toEqual([
    'prose',
    'list',
    'prose',
  ]);
  expect(listKinds('1. a\n   ```\n   - no item\n\n   ```\n2. b\n```\ncode\n\n```\nend')).toEqual([
    'list',
    'code',
    'prose',
  ]);
  expect(listKinds('| a | b |\n|---|---|\n| 1 | 2 |\n\n| no table |')).toEqual(['table', 'prose']);
  expect(listKinds('<details>\n<summary>More</summary>\n\n**in it**\n\n</details>\n\nend')).toEqual(
    ['html', 'prose'],
  );
  expect(
    listKinds('$$\nx\n\ny\n$$\n\\[ a \\]\n$$5 and $$6\n\n[^1]: note\n\n    its second part'),
  ).toEqual(['math', 'math', 'prose', 'note']);
  expect(listKinds('# Head\nwords\n---\n> quote\nstill\n\n> another')).toEqual([
    'prose',
    'prose',
    'quote',
    'quote',
  ]);
});

test('a long list comes in parts that go on counting', () => {
  const items = Array.from(
    { length: 600 },
    (_, index) => `${index + 1}. item number ${index + 1}\n`,
  );
  const parts = toBlocks(items.join(''));
  expect(parts.length).toBeGreaterThan(1);
  for (const { number, text: part } of parts.slice(1)) {
    expect(part.startsWith(`${number}. `)).toBe(true);
  }
});

function toBlocks(whole: string): readonly Block[] {
  return listBlocks(appendText(NO_BLOCKS, whole));
}

function listKinds(whole: string): readonly string[] {
  return toBlocks(whole).map(({ kind }) => kind);
}
