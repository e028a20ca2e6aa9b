import {
  closes,
  depthOf,
  endsMath,
  type Fence,
  fenceOf,
  indentOf,
  interrupts,
  isBlank,
  isHeading,
  isNote,
  isQuote,
  isRule,
  isTableHead,
  isTag,
  type Line,
  type Mark,
  markOf,
  mathOf,
} from './lines.ts';

export type Kind =
  | 'prose'
  | 'code'
  | 'indented'
  | 'table'
  | 'list'
  | 'quote'
  | 'note'
  | 'math'
  | 'html';

/** A block that the next line may belong to. */
export interface Open {
  readonly kind: Kind;
  readonly from: number;
  /** Where its last line that is not blank ends. */
  readonly until: number;
  /** Whether nothing more can belong to it. */
  readonly ended: boolean;
  /** Whether its last line is blank. */
  readonly gap: boolean;
  readonly lines: number;
  /** Its first line. */
  readonly first: string;
  /** Of code, also within a list or HTML: what closes it. */
  readonly fence: Fence | null;
  /** Of HTML: how many elements are open. */
  readonly depth: number;
  /** Of a list: the kind of its marks, and the number that its next item has. */
  readonly mark: Mark | null;
  readonly number: number | null;
  readonly items: number;
}

/** Blocks grow no longer where they can be parted, so that little has to be parsed again when something is added. */
const ENOUGH = 4000;
/** And beyond that they are parted anywhere. */
const TOO_MUCH = 10_000;

/** The block that a line begins; `before` is the one that has just ended. */
export function begin(line: Line, before: Open | null): Open {
  const kind = kindOf(line);
  const mark = kind === 'list' ? markOf(line) : null;
  const goesOn = mark?.number != null && before?.mark?.kind === mark.kind;
  return {
    kind,
    from: line.from,
    until: line.to,
    ended:
      kind === 'math' ? endsAtOnce(line) : kind === 'prose' && (isHeading(line) || isRule(line)),
    gap: false,
    lines: 1,
    first: line.text,
    fence: fenceOf(line, kind !== 'code'),
    depth: kind === 'html' ? depthOf(line) : 0,
    mark,
    number: goesOn ? numberAfter(before) : null,
    items: mark === null ? 0 : 1,
  };
}

function numberAfter({ number, mark, items }: Open): number {
  return (number ?? mark?.number ?? 1) + items;
}

function kindOf(line: Line): Kind {
  if (line.torn) return 'prose';
  if (indentOf(line) >= 4) return 'indented';
  if (fenceOf(line, false) !== null) return 'code';
  if (mathOf(line) !== null) return 'math';
  if (markOf(line) !== null) return 'list';
  if (isQuote(line)) return 'quote';
  if (isNote(line)) return 'note';
  return isTag(line) ? 'html' : 'prose';
}

function endsAtOnce(line: Line): boolean {
  const mark = mathOf(line);
  return mark !== null && endsMath(line.text, mark) === 'end';
}

/** The block with one more line, or `null` when the line does not belong to it. */
export function goOn(open: Open, line: Line): Open | null {
  const size = line.from - open.from;
  if (open.kind === 'code') return inCode(open, line);
  if (open.kind !== 'table' && size > TOO_MUCH && open.fence === null) return null;
  if (open.kind !== 'table' && size > 4 * TOO_MUCH) return null;
  switch (open.kind) {
    case 'prose':
      return inProse(open, line);
    case 'indented':
      return isBlank(line) ? gap(open) : indentOf(line) >= 4 ? add(open, line) : null;
    case 'table':
      return isBlank(line) || interrupts(line) || isTag(line) ? null : add(open, line);
    case 'list':
      return inList(open, line);
    case 'quote':
      return inQuote(open, line);
    case 'note':
      return inNote(open, line);
    case 'math':
      return inMath(open, line);
    case 'html':
      return inHtml(open, line);
  }
}

function add(open: Open, line: Line, change: Partial<Open> = {}): Open {
  return { ...open, until: line.to, gap: false, lines: open.lines + 1, ...change };
}

function gap(open: Open): Open {
  return { ...open, gap: true };
}

function inCode(open: Open, line: Line): Open {
  return add(open, line, { ended: open.fence !== null && closes(line, open.fence) });
}

function inProse(open: Open, line: Line): Open | null {
  if (isBlank(line)) return null;
  if (line.from - open.from > ENOUGH) return null;
  if (open.lines === 1 && isTableHead(open.first, line.text)) {
    return add(open, line, { kind: 'table' });
  }
  return interrupts(line) ? null : add(open, line);
}

function inQuote(open: Open, line: Line): Open | null {
  if (isBlank(line) || line.from - open.from > ENOUGH) return null;
  return isQuote(line) || !interrupts(line) ? add(open, line) : null;
}

function inNote(open: Open, line: Line): Open | null {
  if (isBlank(line)) return gap(open);
  if (open.gap) return indentOf(line) >= 2 ? add(open, line) : null;
  return interrupts(line) && indentOf(line) < 2 ? null : add(open, line);
}

function inList(open: Open, line: Line): Open | null {
  if (isBlank(line)) return gap(open);
  const atMargin = indentOf(line) < 2 && !line.torn;
  if (!atMargin) return add(open, line, { fence: fenceAfter(open, line) });
  const mark = markOf(line);
  if (mark !== null) return nextItem(open, line, mark);
  // Only the words of a paragraph may go on at the margin, and only without a gap.
  if (open.gap || open.fence !== null || isRule(line) || interrupts(line)) return null;
  return add(open, line);
}

function nextItem(open: Open, line: Line, mark: Mark): Open | null {
  if (mark.kind !== open.mark?.kind || line.from - open.from > ENOUGH) return null;
  return add(open, line, { items: open.items + 1, fence: fenceOf(line, true) });
}

function fenceAfter({ fence }: Open, line: Line): Fence | null {
  if (fence === null) return fenceOf(line, true);
  return closes(line, fence) ? null : fence;
}

function inMath(open: Open, line: Line): Open | null {
  if (isBlank(line)) return line.from - open.from > ENOUGH ? null : gap(open);
  const close = open.first.trimStart().startsWith('$$') ? '$$' : '\\]';
  return add(open, line, { ended: line.text.includes(close) });
}

function inHtml(open: Open, line: Line): Open | null {
  if (isBlank(line)) {
    return open.depth <= 0 || line.from - open.from > ENOUGH ? null : gap(open);
  }
  const fence = fenceAfter(open, line);
  const coded = fence !== null || open.fence !== null;
  return add(open, line, { fence, depth: coded ? open.depth : open.depth + depthOf(line) });
}
