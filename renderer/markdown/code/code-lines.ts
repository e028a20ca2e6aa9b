/** Number of lines that are laid out together. */
export const LINES_PER_PIECE = 80;

/** Splits code into chunks of complete lines, of which only the last one grows. */
export function splitPieces(code: string): readonly string[] {
  const pieces: string[] = [];
  let from = 0;
  let lines = 0;
  for (let at = code.indexOf('\n'); at !== -1; at = code.indexOf('\n', at + 1)) {
    lines += 1;
    if (lines < LINES_PER_PIECE) continue;
    pieces.push(code.slice(from, at + 1));
    from = at + 1;
    lines = 0;
  }
  if (from < code.length) pieces.push(code.slice(from));
  return pieces;
}

/** Maximum number of characters that are highlighted; more would noticeably block the page. */
const MAX_HIGHLIGHTED = 16_000;

/**
 * Returns how many characters are highlighted. While code grows this lags behind, because each time all of it is
 * highlighted again: the longer the code, the more must be added first.
 */
export function highlightedLength(code: string, closed: boolean): number {
  const limit = Math.min(code.length, MAX_HIGHLIGHTED);
  const step = closed || limit < 2000 ? 1 : 2 ** (Math.floor(Math.log2(limit)) - 3);
  const upTo = Math.floor(limit / step) * step;
  return closed && upTo === code.length ? upTo : code.lastIndexOf('\n', upTo - 1) + 1;
}
