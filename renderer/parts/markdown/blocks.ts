import { begin, goOn, type Kind, type Open } from './block-lines.ts';
import { isBlank, type Line, lineAt } from './lines.ts';

/** A piece of an answer that can be shown by itself. */
export interface Block {
  /** Where it begins in the text: its name while the text grows. */
  readonly from: number;
  readonly kind: Kind;
  readonly text: string;
  /** Whether what ends it has come, or still may. */
  readonly closed: boolean;
  /** Of a list that goes on with one before it: the number of its first item. */
  readonly number: number | null;
}

/** A text as far as its lines have ended. What is `finished` never changes, whatever else comes. */
export interface Blocks {
  readonly text: string;
  readonly finished: readonly Block[];
  readonly open: Open | null;
  readonly scanned: number;
  readonly torn: boolean;
}

export const NO_BLOCKS: Blocks = { text: '', finished: [], open: null, scanned: 0, torn: false };

/** Takes what has been added to a text. A text that is another altogether is begun anew. */
export function grow(blocks: Blocks, text: string): Blocks {
  let known = text.startsWith(blocks.text) ? blocks : NO_BLOCKS;
  const finished = [...known.finished];
  let { open, scanned, torn } = known;
  for (;;) {
    const line = lineAt(text, scanned, torn);
    if (line === null || line.next === text.length) break;
    open = take({ text, finished, open, line });
    torn = line.next === line.to;
    scanned = line.next;
  }
  known = { text, finished, open, scanned, torn };
  return known;
}

/** All blocks of a text, the one that is still growing included. */
export function allOf({ text, finished, open, scanned, torn }: Blocks): readonly Block[] {
  const all = [...finished];
  const line = lineAt(text, scanned, torn);
  const last = line === null ? open : take({ text, finished: all, open, line });
  if (last !== null) all.push(blockOf(text, last));
  return all;
}

interface Taking {
  readonly text: string;
  readonly finished: Block[];
  readonly open: Open | null;
  readonly line: Line;
}

function take({ text, finished, open, line }: Taking): Open | null {
  const going = open === null ? null : goOn(open, line);
  if (going !== null) return keep(going);
  if (open !== null) finished.push(blockOf(text, open));
  if (isBlank(line)) return null;
  return keep(begin(line, open));

  function keep(next: Open): Open | null {
    if (!next.ended) return next;
    finished.push(blockOf(text, next));
    return null;
  }
}

function blockOf(text: string, { from, until, kind, ended, number }: Open): Block {
  return { from, kind, text: text.slice(from, until), closed: ended, number };
}
