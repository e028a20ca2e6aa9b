/** Stands before what was found. */
export const HIT = '\u0002';

const MOST = 120;
/** What is shown before the hit, at most. */
const BEFORE = 40;

/** A piece of a text around its first hit, on one line. */
export function pieceOf(snippet: string): string {
  const line = snippet.replaceAll(/\s+/gu, ' ').trim();
  const hit = Math.max(0, line.indexOf(HIT));
  const begin = hit <= BEFORE ? 0 : beginOfWord(line, hit - BEFORE, hit);
  const text = line.slice(begin).replaceAll(HIT, '');
  const head = begin > 0 && !text.startsWith('…') ? '…' : '';
  if (head.length + text.length <= MOST) return head + text;
  const room = text.slice(0, MOST - 1 - head.length).replace(/[\uD800-\uDBFF]$/u, '');
  return `${head}${room.trimEnd()}…`;
}

function beginOfWord(line: string, from: number, hit: number): number {
  const space = line.indexOf(' ', from);
  return space < 0 || space >= hit ? hit : space + 1;
}
