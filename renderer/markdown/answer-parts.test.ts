import { expect, test } from 'vitest';
import { haveSameBlocks, splitParts } from './answer-parts.ts';
import { appendText, listBlocks, NO_BLOCKS } from './blocks/block-list.ts';

test('text that is added changes only the last part', () => {
  const paragraph = `${'word '.repeat(150)}\n\n`;
  let known = appendText(NO_BLOCKS, paragraph.repeat(20));
  const before = splitParts(listBlocks(known));
  known = appendText(known, paragraph.repeat(30));
  const after = splitParts(listBlocks(known));
  expect(before.length).toBeGreaterThan(2);
  expect(after.length).toBeGreaterThan(before.length);
  for (const [at, part] of before.slice(0, -1).entries()) {
    const same = after[at];
    expect(same !== undefined && haveSameBlocks(part, same)).toBe(true);
  }
});

test('a part continues the list of the part before it only when both are of one kind', () => {
  const bullets = `- ${'item '.repeat(200)}\n`.repeat(12);
  const blocks = listBlocks(appendText(NO_BLOCKS, `${bullets}\n1. One\n2. Two\n`));
  const parts = splitParts(blocks);
  expect(parts.flatMap((part) => part.blocks)).toEqual(blocks);
  expect(parts.map(({ joins }) => joins)).toEqual([false, true, true, false]);
});
