/** Maximum number of matches; more are not counted. */
export const MAX_MATCHES = 1_000;

/** Returns a pattern that finds a text without regard to case. */
export function toSearchPattern(search: string): RegExp {
  return new RegExp(search.replaceAll(/[$()*+.?[\\\]^{|}/]/gu, '\\$&'), 'giu');
}

/** Returns the positions of a search text, without regard to case, at most 1,000. */
export function findMatches(text: string, search: string): readonly number[] {
  if (search === '') return [];
  const found: number[] = [];
  for (const { index } of text.matchAll(toSearchPattern(search))) {
    found.push(index);
    if (found.length >= MAX_MATCHES) break;
  }
  return found;
}

/** Length of a chunk of a long text. */
const CHUNK_LENGTH = 16_384;

/** A chunk of a long text. */
export interface TextChunk {
  readonly from: number;
  readonly text: string;
}

/** Splits a text into chunks that end with a line where they can. A chunk also ends at `cut`. */
export function splitChunks(text: string, cut: number | null): readonly TextChunk[] {
  const chunks: TextChunk[] = [];
  let from = 0;
  while (from < text.length) {
    const limit = cut !== null && from < cut ? cut : text.length;
    const longest = Math.min(from + CHUNK_LENGTH, limit);
    const line = text.lastIndexOf('\n', longest - 1) + 1;
    const to = longest === limit || line <= from ? longest : line;
    chunks.push({ from, text: text.slice(from, to) });
    from = to;
  }
  return chunks;
}

/** A piece of a chunk. `match`: the number of the match that it belongs to; `null` for the text between. */
export interface TextPiece {
  readonly text: string;
  readonly match: number | null;
}

/** Splits a chunk at the matches within it. */
export function markMatches(
  { from, text }: TextChunk,
  matches: readonly number[],
  length: number,
): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let done = 0;
  for (const [match, position] of matches.entries()) {
    const start = Math.max(position - from, 0);
    const end = Math.min(position - from + length, text.length);
    if (end <= start) continue;
    if (start > done) pieces.push({ text: text.slice(done, start), match: null });
    pieces.push({ text: text.slice(start, end), match });
    done = end;
  }
  if (done < text.length) pieces.push({ text: text.slice(done), match: null });
  return pieces;
}
