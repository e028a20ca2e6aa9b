import { startBlock, continueBlock, type BlockKind, type OpenBlock } from './block-lines.ts';
import { isBlank, type SourceLine, readLine } from './source-lines.ts';

/** A block of an answer that can be shown by itself. */
export interface Block {
  /** Offset in the text, which identifies the block while the text grows. */
  readonly from: number;
  readonly kind: BlockKind;
  readonly text: string;
  /** Whether the end of the block has arrived, or may still. */
  readonly closed: boolean;
  /** The number of the first item of a list that continues the one before it. */
  readonly number: number | null;
}

/** The blocks of a text up to its last complete line. The `finished` ones never change. */
export interface BlockList {
  readonly text: string;
  readonly finished: readonly Block[];
  readonly open: OpenBlock | null;
  readonly scanned: number;
  readonly isSplit: boolean;
}

export const NO_BLOCKS: BlockList = {
  text: '',
  finished: [],
  open: null,
  scanned: 0,
  isSplit: false,
};

/** Parses what was added to a text. A text that does not continue the previous one is parsed from its beginning. */
export function appendText(blocks: BlockList, text: string): BlockList {
  let known = text.startsWith(blocks.text) ? blocks : NO_BLOCKS;
  const finished = [...known.finished];
  let { open, scanned, isSplit } = known;
  for (;;) {
    const line = readLine(text, scanned, isSplit);
    if (line === null || line.next === text.length) break;
    open = takeLine({ text, finished, open, line });
    isSplit = line.next === line.to;
    scanned = line.next;
  }
  known = { text, finished, open, scanned, isSplit };
  return known;
}

/** Returns all blocks of a text, including the one that is still growing. */
export function listBlocks({
  text,
  finished,
  open,
  scanned,
  isSplit,
}: BlockList): readonly Block[] {
  const all = [...finished];
  const line = readLine(text, scanned, isSplit);
  const last = line === null ? open : takeLine({ text, finished: all, open, line });
  if (last !== null) all.push(toBlock(text, last));
  return all;
}

interface ScanState {
  readonly text: string;
  readonly finished: Block[];
  readonly open: OpenBlock | null;
  readonly line: SourceLine;
}

function takeLine({ text, finished, open, line }: ScanState): OpenBlock | null {
  const going = open === null ? null : continueBlock(open, line);
  if (going !== null) return keep(going);
  if (open !== null) finished.push(toBlock(text, open));
  if (isBlank(line)) return null;
  return keep(startBlock(line, open));

  function keep(next: OpenBlock): OpenBlock | null {
    if (!next.ended) return next;
    finished.push(toBlock(text, next));
    return null;
  }
}

function toBlock(text: string, { from, until, kind, ended, number }: OpenBlock): Block {
  return { from, kind, text: text.slice(from, until), closed: ended, number };
}
