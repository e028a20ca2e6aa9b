import {
  closesFence,
  tagDepth,
  endsMath,
  type Fence,
  parseFence,
  indentWidth,
  interruptsParagraph,
  isBlank,
  isHeading,
  isFootnote,
  isQuote,
  isRule,
  isTableHead,
  isTag,
  type SourceLine,
  type ListMarker,
  parseListMarker,
  parseMathMarker,
} from './source-lines.ts';

export type BlockKind =
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
export interface OpenBlock {
  readonly kind: BlockKind;
  readonly from: number;
  /** Offset of the end of its last line that is not blank. */
  readonly until: number;
  /** Whether no further line can belong to it. */
  readonly ended: boolean;
  /** Whether its last line is blank. */
  readonly gap: boolean;
  readonly lines: number;
  /** Its first line. */
  readonly first: string;
  /** The marker that closes code, also within a list or HTML. */
  readonly fence: Fence | null;
  /** Number of open elements of an HTML block. */
  readonly depth: number;
  /** The marker kind of a list, and the number of its next item. */
  readonly marker: ListMarker | null;
  readonly number: number | null;
  readonly items: number;
}

/** Length from which a block is split where Markdown allows it, so that little has to be parsed again when text is added. */
const SOFT_MAX_LENGTH = 4000;
/** Length from which a block is split anywhere. */
const HARD_MAX_LENGTH = 10_000;

/** Creates the block that a line begins; `before` is the block that has just ended. */
export function startBlock(line: SourceLine, before: OpenBlock | null): OpenBlock {
  const kind = detectKind(line);
  const marker = kind === 'list' ? parseListMarker(line) : null;
  const goesOn = marker?.number != null && before?.marker?.kind === marker.kind;
  return {
    kind,
    from: line.from,
    until: line.to,
    ended:
      kind === 'math' ? isSingleLine(line) : kind === 'prose' && (isHeading(line) || isRule(line)),
    gap: false,
    lines: 1,
    first: line.text,
    fence: parseFence(line, kind !== 'code'),
    depth: kind === 'html' ? tagDepth(line) : 0,
    marker,
    number: goesOn ? nextNumber(before) : null,
    items: marker === null ? 0 : 1,
  };
}

function nextNumber({ number, marker, items }: OpenBlock): number {
  return (number ?? marker?.number ?? 1) + items;
}

function detectKind(line: SourceLine): BlockKind {
  if (line.isSplit) return 'prose';
  if (indentWidth(line) >= 4) return 'indented';
  if (parseFence(line, false) !== null) return 'code';
  if (parseMathMarker(line) !== null) return 'math';
  if (parseListMarker(line) !== null) return 'list';
  if (isQuote(line)) return 'quote';
  if (isFootnote(line)) return 'note';
  return isTag(line) ? 'html' : 'prose';
}

function isSingleLine(line: SourceLine): boolean {
  const marker = parseMathMarker(line);
  return marker !== null && endsMath(line.text, marker) === 'end';
}

/** Returns the block extended by a line, or `null` when the line does not belong to it. */
export function continueBlock(open: OpenBlock, line: SourceLine): OpenBlock | null {
  const size = line.from - open.from;
  if (open.kind === 'code') return continueCode(open, line);
  if (open.kind !== 'table' && size > HARD_MAX_LENGTH && open.fence === null) return null;
  if (open.kind !== 'table' && size > 4 * HARD_MAX_LENGTH) return null;
  switch (open.kind) {
    case 'prose':
      return continueProse(open, line);
    case 'indented':
      return isBlank(line) ? addGap(open) : indentWidth(line) >= 4 ? addLine(open, line) : null;
    case 'table':
      return isBlank(line) || interruptsParagraph(line) || isTag(line) ? null : addLine(open, line);
    case 'list':
      return continueList(open, line);
    case 'quote':
      return continueQuote(open, line);
    case 'note':
      return continueFootnote(open, line);
    case 'math':
      return continueMath(open, line);
    case 'html':
      return continueHtml(open, line);
  }
}

function addLine(open: OpenBlock, line: SourceLine, change: Partial<OpenBlock> = {}): OpenBlock {
  return { ...open, until: line.to, gap: false, lines: open.lines + 1, ...change };
}

function addGap(open: OpenBlock): OpenBlock {
  return { ...open, gap: true };
}

function continueCode(open: OpenBlock, line: SourceLine): OpenBlock {
  return addLine(open, line, { ended: open.fence !== null && closesFence(line, open.fence) });
}

function continueProse(open: OpenBlock, line: SourceLine): OpenBlock | null {
  if (isBlank(line)) return null;
  if (line.from - open.from > SOFT_MAX_LENGTH) return null;
  if (open.lines === 1 && isTableHead(open.first, line.text)) {
    return addLine(open, line, { kind: 'table' });
  }
  return interruptsParagraph(line) ? null : addLine(open, line);
}

function continueQuote(open: OpenBlock, line: SourceLine): OpenBlock | null {
  if (isBlank(line) || line.from - open.from > SOFT_MAX_LENGTH) return null;
  return isQuote(line) || !interruptsParagraph(line) ? addLine(open, line) : null;
}

function continueFootnote(open: OpenBlock, line: SourceLine): OpenBlock | null {
  if (isBlank(line)) return addGap(open);
  if (open.gap) return indentWidth(line) >= 2 ? addLine(open, line) : null;
  return interruptsParagraph(line) && indentWidth(line) < 2 ? null : addLine(open, line);
}

function continueList(open: OpenBlock, line: SourceLine): OpenBlock | null {
  if (isBlank(line)) return addGap(open);
  const atMargin = indentWidth(line) < 2 && !line.isSplit;
  if (!atMargin) return addLine(open, line, { fence: fenceAfter(open, line) });
  const marker = parseListMarker(line);
  if (marker !== null) return nextItem(open, line, marker);
  // Only paragraph text may continue at the margin, and only without a blank line.
  if (open.gap || open.fence !== null || isRule(line) || interruptsParagraph(line)) return null;
  return addLine(open, line);
}

function nextItem(open: OpenBlock, line: SourceLine, marker: ListMarker): OpenBlock | null {
  if (marker.kind !== open.marker?.kind || line.from - open.from > SOFT_MAX_LENGTH) return null;
  return addLine(open, line, { items: open.items + 1, fence: parseFence(line, true) });
}

function fenceAfter({ fence }: OpenBlock, line: SourceLine): Fence | null {
  if (fence === null) return parseFence(line, true);
  return closesFence(line, fence) ? null : fence;
}

function continueMath(open: OpenBlock, line: SourceLine): OpenBlock | null {
  if (isBlank(line)) return line.from - open.from > SOFT_MAX_LENGTH ? null : addGap(open);
  const close = open.first.trimStart().startsWith('$$') ? '$$' : '\\]';
  return addLine(open, line, { ended: line.text.includes(close) });
}

function continueHtml(open: OpenBlock, line: SourceLine): OpenBlock | null {
  if (isBlank(line)) {
    return open.depth <= 0 || line.from - open.from > SOFT_MAX_LENGTH ? null : addGap(open);
  }
  const fence = fenceAfter(open, line);
  const coded = fence !== null || open.fence !== null;
  return addLine(open, line, { fence, depth: coded ? open.depth : open.depth + tagDepth(line) });
}
