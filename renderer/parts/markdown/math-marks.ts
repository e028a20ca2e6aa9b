/** What a formula in the middle of a text may have at most. */
const MOST = 2000;

/**
 * Writes the formulas of a text in one way: `$x$` within a line, `$$x$$` by itself. Models also write `\(x\)` and `\[x\]`.
 * Any other dollar is one of a price and becomes plain; code is left alone.
 */
export function withMath(text: string): string {
  if (!/[$]|\\[([]/u.test(text)) return text;
  let out = '';
  let at = 0;
  while (at < text.length) {
    const [written, next] = pieceAt(text, at);
    out += written;
    at = next;
  }
  return out;
}

type Piece = readonly [written: string, next: number];

const PLAIN = /[^\\`$]+/uy;

function pieceAt(text: string, at: number): Piece {
  PLAIN.lastIndex = at;
  const plain = PLAIN.exec(text);
  if (plain !== null) return [plain[0], PLAIN.lastIndex];
  switch (text.charAt(at)) {
    case '`':
      return codeAt(text, at);
    case '$':
      return dollarAt(text, at);
    default:
      return backslashAt(text, at);
  }
}

function codeAt(text: string, at: number): Piece {
  let end = at;
  while (text.charAt(end) === '`') end += 1;
  const run = text.slice(at, end);
  let close = text.indexOf(run, end);
  while (
    close !== -1 &&
    (text.charAt(close + run.length) === '`' || text.charAt(close - 1) === '`')
  ) {
    while (text.charAt(close) === '`') close += 1;
    close = text.indexOf(run, close);
  }
  const next = close === -1 ? end : close + run.length;
  return [text.slice(at, next), next];
}

function backslashAt(text: string, at: number): Piece {
  const close = { '(': '\\)', '[': '\\]' }[text.charAt(at + 1)];
  const formula = close === undefined ? null : insideOf(text, at + 2, close);
  if (formula === null || formula.includes('$')) return [text.slice(at, at + 2), at + 2];
  const mark = close === '\\)' ? '$' : '$$';
  return [`${mark}${formula.trim()}${mark}`, at + 4 + formula.length];
}

function dollarAt(text: string, at: number): Piece {
  if (text.charAt(at + 1) === '$') {
    const formula = insideOf(text, at + 2, '$$');
    if (formula === null) return ['\\$\\$', at + 2];
    return [`$$${formula.trim()}$$`, at + 4 + formula.length];
  }
  const formula = insideOf(text, at + 1, '$');
  if (formula === null || /^\s|\s$|\\$/u.test(formula)) return ['\\$', at + 1];
  const next = at + 2 + formula.length;
  // "$5-$6" are prices, and "$HOME/$USER" are names.
  if (/[\p{L}\p{N}]/u.test(text.charAt(next))) return ['\\$', at + 1];
  return [text.slice(at, next), next];
}

/** What stands before the end of a formula, `null` when there is none: no formula goes over an empty line. */
function insideOf(text: string, from: number, close: string): string | null {
  const end = text.slice(from, from + MOST).indexOf(close);
  if (end === -1) return null;
  const inside = text.slice(from, from + end);
  return inside.trim() === '' || /\n[ \t>]*\n/u.test(inside) ? null : inside;
}
