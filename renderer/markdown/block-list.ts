import { startBlock, continueBlock, type BlockKind, type OpenBlock } from './block-lines.ts';
import { isBlank, type SourceLine, readLine } from './source-lines.ts';

/** A piece of an answer that can be shown by itself. */
export interface Block {
  /** Where it begins in the text: its name while the text grows. */
  readonly from: number;
  readonly kind: BlockKind;
  readonly text: string;
  /** Whether what ends it has come, or still may. */
  readonly closed: boolean;
  /** Of a list that goes on with one before it: the number of its first item. */
  readonly number: number | null;
}

/** A text as far as its lines have ended. What is `finished` never changes, whatever else comes. */
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

/** Takes what has been added to a text. A text that is another altogether is begun anew. */
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

/** All blocks of a text, the one that is still growing included. */
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
