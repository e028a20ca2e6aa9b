import type { Block } from './blocks/block-list.ts';

/** Blocks of an answer that follow each other. Only the last part of a growing answer changes. */
export interface AnswerPart {
  readonly blocks: readonly Block[];
  /** Whether it continues a list of the previous part. */
  readonly joins: boolean;
}

/** Length from which a part takes no further block. The last ones are laid out again with every addition. */
const MAX_PART_LENGTH = 1500;

/** Splits an answer into parts. Text that is added to an answer changes none but the last. */
export function splitParts(blocks: readonly Block[]): readonly AnswerPart[] {
  const parts: AnswerPart[] = [];
  let current: Block[] = [];
  let length = 0;
  for (const block of blocks) {
    if (length >= MAX_PART_LENGTH) {
      parts.push(toPart(current, parts));
      current = [];
      length = 0;
    }
    current.push(block);
    length += block.text.length;
  }
  if (current.length > 0) parts.push(toPart(current, parts));
  return parts;
}

/** Whether two parts consist of the same blocks. */
export function haveSameBlocks(one: AnswerPart, other: AnswerPart): boolean {
  return (
    one.blocks.length === other.blocks.length &&
    one.blocks.every((block, at) => block === other.blocks[at])
  );
}

function toPart(blocks: readonly Block[], before: readonly AnswerPart[]): AnswerPart {
  return { blocks, joins: continuesList(before.at(-1)?.blocks.at(-1), blocks[0]) };
}

function continuesList(last: Block | undefined, first: Block | undefined): boolean {
  if (last?.kind !== 'list' || first?.kind !== 'list') return false;
  return isNumbered(last) === isNumbered(first);
}

function isNumbered({ text }: Block): boolean {
  return /^ *\d/u.test(text);
}
