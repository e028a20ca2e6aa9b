import { type CommentSyntax, type GapToken, scanGap } from './bracket-gap.ts';
import { indentAt, isFirstInLine, type TextEdit, type TextRange } from './text-lines.ts';

/** A list or an object in brackets: the text between the brackets, and its items. */
export interface BracketList extends TextRange {
  readonly items: readonly TextRange[];
}

/** How a format writes lists in brackets, and this file does. */
export interface BracketStyle {
  readonly comments: CommentSyntax;
  /** Whether the first item of an empty list gets a line of its own. */
  readonly opensLines: boolean;
  /** One level of indentation. */
  readonly unit: string;
  readonly eol: string;
  /** The text after a comma in a line. */
  readonly space: string;
}

/** Writes an item: for a line of its own with that indentation, or, for `null`, within a line. */
export type WriteItem = (indent: string | null) => string;

/** Adds an item at the end of a list in brackets. `removeBracketItem` is the opposite. @throws ConfigFormatError */
export function insertBracketItem(
  text: string,
  list: BracketList,
  style: BracketStyle,
  write: WriteItem,
): readonly TextEdit[] {
  const last = list.items.at(-1);
  return last === undefined
    ? [insertFirst(text, list, style, write)]
    : insertAfter(text, { list, last }, style, write);
}

function insertAfter(
  text: string,
  { list, last }: { list: BracketList; last: TextRange },
  style: BracketStyle,
  write: WriteItem,
): readonly TextEdit[] {
  const gap = scanGap(text, { start: last.end, end: list.end }, style.comments);
  const comma = gap.find(({ kind }) => kind === 'comma');
  const end = comma?.end ?? last.end;
  const closing = comma === undefined ? '' : ',';
  const commaEdit = comma === undefined ? [{ start: last.end, end: last.end, text: ',' }] : [];
  if (!isFirstInLine(text, last.start))
    return [...commaEdit, insertion(end, style.space + write(null) + closing)];
  const indent = indentAt(text, last.start);
  const at = endOfComments(gap, end);
  return [...commaEdit, insertion(at, style.eol + indent + write(indent) + closing)];
}

/** Returns the offset after the comments that follow in the same line. */
function endOfComments(gap: readonly GapToken[], from: number): number {
  const after = gap.filter(({ start }) => start >= from);
  const lineBreak = after.findIndex(({ kind }) => kind === 'line-break');
  const line = lineBreak === -1 ? after : after.slice(0, lineBreak);
  return line.findLast(({ kind }) => kind === 'comment')?.end ?? from;
}

function insertFirst(
  text: string,
  list: BracketList,
  style: BracketStyle,
  write: WriteItem,
): TextEdit {
  const gap = scanGap(text, list, style.comments);
  const comment = gap.findLast(({ kind }) => kind === 'comment');
  const lineBreak = gap.findLast(({ kind }) => kind === 'line-break');
  const outer = indentAt(text, list.start);
  const indent = outer + style.unit;
  const line = style.eol + indent;
  if (comment !== undefined)
    return lineBreak !== undefined && lineBreak.start >= comment.end
      ? insertion(comment.end, line + write(indent))
      : insertion(comment.end, ` ${write(null)}`);
  if (!style.opensLines) return insertion(list.start, write(null));
  // The blank line tells `removeBracketItem` that the brackets stood in different lines.
  return lineBreak === undefined
    ? insertion(list.end, line + write(indent) + style.eol + outer)
    : insertion(lineBreak.start, style.eol + line + write(indent));
}

function insertion(at: number, text: string): TextEdit {
  return { start: at, end: at, text };
}
