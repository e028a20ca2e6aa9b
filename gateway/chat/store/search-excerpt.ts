/** Marks the start of a match. */
export const HIT_MARKER = '\u0002';

const MAX_LENGTH = 120;
/** Maximum characters shown before the match. */
const MAX_BEFORE_HIT = 40;

/** Shortens a snippet around its first match, on one line. */
export function toExcerpt(snippet: string): string {
  const line = snippet.replaceAll(/\s+/gu, ' ').trim();
  const hit = Math.max(0, line.indexOf(HIT_MARKER));
  const begin = hit <= MAX_BEFORE_HIT ? 0 : findWordStart(line, hit - MAX_BEFORE_HIT, hit);
  const text = line.slice(begin).replaceAll(HIT_MARKER, '');
  const head = begin > 0 && !text.startsWith('…') ? '…' : '';
  if (head.length + text.length <= MAX_LENGTH) return head + text;
  const shortened = text.slice(0, MAX_LENGTH - 1 - head.length).replace(/[\uD800-\uDBFF]$/u, '');
  return `${head}${shortened.trimEnd()}…`;
}

function findWordStart(line: string, from: number, hit: number): number {
  const space = line.indexOf(' ', from);
  return space < 0 || space >= hit ? hit : space + 1;
}
