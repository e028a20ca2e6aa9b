/** Maximum length of an inline formula. */
const MAX_LENGTH = 2000;

/**
 * Normalizes the formulas of a text: `$x$` inline, `$$x$$` as a block. Models also write `\(x\)` and `\[x\]`. Any other
 * dollar sign is taken for a price and escaped; code is left alone.
 */
export function normalizeMath(text: string): string {
  if (!/[$]|\\[([]/u.test(text)) return text;
  let out = '';
  let at = 0;
  while (at < text.length) {
    const [written, next] = scanPiece(text, at);
    out += written;
    at = next;
  }
  return out;
}

type ScannedPiece = readonly [written: string, next: number];

const PLAIN = /[^\\`$]+/uy;

function scanPiece(text: string, at: number): ScannedPiece {
  PLAIN.lastIndex = at;
  const plain = PLAIN.exec(text);
  if (plain !== null) return [plain[0], PLAIN.lastIndex];
  switch (text.charAt(at)) {
    case '`':
      return scanCode(text, at);
    case '$':
      return scanDollar(text, at);
    default:
      return scanBackslash(text, at);
  }
}

function scanCode(text: string, at: number): ScannedPiece {
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

function scanBackslash(text: string, at: number): ScannedPiece {
  const close = { '(': '\\)', '[': '\\]' }[text.charAt(at + 1)];
  const formula = close === undefined ? null : findFormula(text, at + 2, close);
  if (formula === null || formula.includes('$')) return [text.slice(at, at + 2), at + 2];
  const mark = close === '\\)' ? '$' : '$$';
  return [`${mark}${formula.trim()}${mark}`, at + 4 + formula.length];
}

function scanDollar(text: string, at: number): ScannedPiece {
  if (text.charAt(at + 1) === '$') {
    const formula = findFormula(text, at + 2, '$$');
    if (formula === null) return ['\\$\\$', at + 2];
    return [`$$${formula.trim()}$$`, at + 4 + formula.length];
  }
  const formula = findFormula(text, at + 1, '$');
  if (formula === null || /^\s|\s$|\\$/u.test(formula)) return ['\\$', at + 1];
  const next = at + 2 + formula.length;
  // "$5-$6" are prices, and "$HOME/$USER" are names.
  if (/[\p{L}\p{N}]/u.test(text.charAt(next))) return ['\\$', at + 1];
  return [text.slice(at, next), next];
}

/** Returns the text before the end of a formula, `null` when there is no end: a formula cannot span an empty line. */
function findFormula(text: string, from: number, close: string): string | null {
  const end = text.slice(from, from + MAX_LENGTH).indexOf(close);
  if (end === -1) return null;
  const inside = text.slice(from, from + end);
  return inside.trim() === '' || /\n[ \t>]*\n/u.test(inside) ? null : inside;
}
