import { type GapToken, scanGap } from './bracket-gap.ts';
import type { BracketList, BracketStyle } from './insert-bracket-item.ts';
import { indentAt, type TextEdit, type TextRange } from './text-lines.ts';

/** An item of a list in brackets that is removed, and the comments inside of it, which stay. */
export interface RemovedItem {
  readonly index: number;
  readonly comments: readonly string[];
}

/** The surroundings of an item. */
interface Surroundings {
  readonly item: TextRange;
  readonly before: readonly GapToken[];
  readonly after: readonly GapToken[];
  /** The comma that goes with the item: its own one, or, after the last item, the one before it. */
  readonly comma: GapToken | undefined;
  /** The offset after the item and its own comma. */
  readonly end: number;
  /** The tokens after the item and its comma in the same line. */
  readonly rest: readonly GapToken[];
  /** What comes after these. */
  readonly next: 'line-break' | 'item' | 'bracket';
}

/** Removes an item from a list in brackets, with its comma and, when nothing else stands in it, its line. @throws ConfigFormatError */
export function removeBracketItem(
  text: string,
  list: BracketList,
  style: BracketStyle,
  removed: RemovedItem,
): readonly TextEdit[] {
  const around = findSurroundings(text, list, style, removed.index);
  const commaCut = around.comma === undefined ? [] : [cut(around.comma.start, around.comma.end)];
  if (removed.comments.length > 0)
    return [...commaCut, keepComments(text, around, style, removed.comments)];
  const collapsed = list.items.length === 1 ? collapse(list, style, around) : null;
  if (collapsed !== null) return collapsed;
  return [...commaCut, ...cutItem(around)];
}

function findSurroundings(
  text: string,
  list: BracketList,
  style: BracketStyle,
  index: number,
): Surroundings {
  const item = list.items[index] ?? list;
  const next = list.items[index + 1];
  const start = list.items[index - 1]?.end ?? list.start;
  const before = scanGap(text, { start, end: item.start }, style.comments);
  const after = scanGap(text, { start: item.end, end: next?.start ?? list.end }, style.comments);
  const own = after.find(({ kind }) => kind === 'comma');
  const lineBreak = after.findIndex(
    ({ kind, start: at }) => kind === 'line-break' && at >= (own?.end ?? item.end),
  );
  const line = lineBreak === -1 ? after : after.slice(0, lineBreak);
  const comma =
    own ?? (next === undefined ? before.find(({ kind }) => kind === 'comma') : undefined);
  return {
    item,
    before,
    after,
    comma,
    end: own?.end ?? item.end,
    rest: line.filter((token) => token !== own),
    next: lineBreak !== -1 ? 'line-break' : next === undefined ? 'bracket' : 'item',
  };
}

/** Replaces an item by the comments inside of it. */
function keepComments(
  text: string,
  { item, rest, next }: Surroundings,
  style: BracketStyle,
  comments: readonly string[],
): TextEdit {
  const line = style.eol + indentAt(text, item.start);
  const isAlone = next === 'line-break' && rest.every(({ kind }) => kind === 'blank');
  return { ...item, text: comments.join(line) + (isAlone ? '' : line) };
}

/** Removes an item with the space that belongs to it. The comma is removed apart. */
function cutItem({ item, before, after, end, rest, next }: Surroundings): readonly TextEdit[] {
  const blank = before.at(-1)?.kind === 'blank' ? before.at(-1) : undefined;
  const previous = blank === undefined ? before.at(-1) : before.at(-2);
  const blankStart = blank?.start ?? item.start;
  const itemCut = cut(item.start, item.end);
  const isFirst = previous?.kind === 'line-break';
  const hasComment = rest.some(({ kind }) => kind === 'comment');
  const blankAfter = after.find(({ start }) => start === end);
  const cutAfter = blankAfter?.kind === 'blank' ? [cut(blankAfter.start, blankAfter.end)] : [];
  if (next === 'item' && !hasComment) return [itemCut, ...cutAfter];
  if (isFirst && hasComment) return [itemCut, ...cutAfter];
  if (!isFirst) return [cut(blankStart, item.end)];
  const beforeLine = before.at(before.indexOf(previous) - 1);
  const endsComment = beforeLine?.kind === 'comment' && next === 'bracket';
  return [cut(endsComment ? blankStart : previous.start, item.end)];
}

/** Closes a list that has lost its only item as it was before `insertBracketItem`; `null` when that did not open it. */
function collapse(
  list: BracketList,
  style: BracketStyle,
  { before, after, end }: Surroundings,
): readonly TextEdit[] | null {
  const tokens = [...before, ...after];
  if (!style.opensLines || tokens.some(({ kind }) => kind === 'comment')) return null;
  const own = before.findLast(({ kind }) => kind === 'line-break');
  const closing = after.find(({ kind }) => kind === 'line-break');
  if (own === undefined || closing === undefined) return null;
  const earlier = before.findLast((token) => token.kind === 'line-break' && token !== own);
  if (earlier === undefined) return [cut(own.start, list.end)];
  return [cut(earlier.start, earlier.end), cut(own.start, end)];
}

function cut(start: number, end: number): TextEdit {
  return { start, end, text: '' };
}
