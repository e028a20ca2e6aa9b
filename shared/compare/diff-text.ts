import { type Budget, diffSequence } from './diff-sequence.ts';

/** A part of a text that is the same in both, or in one alone. */
export interface Piece {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Characters that differ from which lines are compared instead of words. */
const MAX_WORDS = 200_000;
const WORD = /\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;
const LINE = /[^\n]*\n|[^\n]+$/gu;

/** Finds the words that differ between two texts; the lines where that takes too long, and otherwise all between their equal ends. */
export function diffText(before: string, after: string, budget: Budget): readonly Piece[] {
  const start = countEqualStart(before, after);
  const end = countEqualEnd(before.slice(start), after.slice(start));
  const [left, right] = [before, after].map((text) => text.slice(start, text.length - end));
  return [
    { kind: 'same' as const, text: before.slice(0, start) },
    ...diffMiddle(left ?? '', right ?? '', budget),
    { kind: 'same' as const, text: before.slice(before.length - end) },
  ].filter(({ text }) => text !== '');
}

function diffMiddle(before: string, after: string, budget: Budget): readonly Piece[] {
  const hasWords = before.length + after.length <= MAX_WORDS;
  const pieces =
    (hasWords ? diffTokens(before, after, { token: WORD, budget }) : null) ??
    diffTokens(before, after, { token: LINE, budget });
  return (
    pieces ?? [
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ]
  );
}

function diffTokens(
  before: string,
  after: string,
  { token, budget }: { readonly token: RegExp; readonly budget: Budget },
): readonly Piece[] | null {
  if (budget.steps < 0) return null;
  const left = before.match(token) ?? [];
  const right = after.match(token) ?? [];
  const runs = diffSequence(left, right, budget);
  if (runs === null) return null;
  return runs.map(({ kind, ...run }) => {
    const [tokens, from] = kind === 'added' ? [right, run.after] : [left, run.before];
    return { kind, text: tokens.slice(from, from + run.count).join('') };
  });
}

/** Counts the characters at the start that are equal, up to the last white space among them. */
function countEqualStart(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let count = 0;
  while (count < most && before[count] === after[count]) count += 1;
  if (count === before.length && count === after.length) return count;
  while (count > 0 && !isSpace(before[count - 1])) count -= 1;
  return count;
}

/** Counts the characters at the end that are equal, from the first white space among them. */
function countEqualEnd(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let count = 0;
  while (count < most && before.at(-1 - count) === after.at(-1 - count)) count += 1;
  while (count > 0 && !isSpace(before.at(-count))) count -= 1;
  return count;
}

function isSpace(character: string | undefined): boolean {
  return character !== undefined && /\s/u.test(character);
}

/** A piece to show: a long equal part has only its ends, with the number of characters between them. */
export interface ShownPiece extends Piece {
  readonly omitted: number;
  /** The text after those that are left out. */
  readonly rest: string;
}

/** Characters that are shown beside a difference, and from which an equal part is shortened. */
const CONTEXT = 160;

/** Shortens the equal parts of a text, so that its differences are seen. */
export function shortenSame(pieces: readonly Piece[]): readonly ShownPiece[] {
  return pieces.map((piece, place) => {
    const { kind, text } = piece;
    if (kind !== 'same' || text.length <= 3 * CONTEXT) return { ...piece, omitted: 0, rest: '' };
    // Before the first and after the last difference only one end is of interest.
    const head = place === 0 ? 0 : CONTEXT;
    const tail = place === pieces.length - 1 ? 0 : CONTEXT;
    const [shown, rest] = [text.slice(0, head), text.slice(text.length - tail)].map(toWellFormed);
    return { kind, text: shown ?? '', omitted: text.length - head - tail, rest: rest ?? '' };
  });
}

function toWellFormed(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/u, '');
}
