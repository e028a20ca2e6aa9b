/** Search terms, all of which must match. */
export interface SearchQuery {
  /** Query for the index: every word must be the prefix of a word. `null` when there is no such word. */
  readonly index: string | null;
  /** Words in scripts without spaces, where the index takes a whole sentence for one word: each may occur anywhere. */
  readonly substrings: readonly string[];
}

const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

/** Parses a typed search. Returns `null` when it contains no word. */
export function parseSearchQuery(find: string): SearchQuery | null {
  // Splits like SQLite, except for rare characters: inside quotes SQLite splits again, and nothing is an operator.
  const words = [...new Set(find.match(/[\p{L}\p{M}\p{N}\p{Co}]+/gu))];
  if (words.length === 0) return null;
  const spaced = words.filter((word) => !UNSPACED.test(word));
  return {
    index: spaced.length === 0 ? null : spaced.map((word) => `"${word}" *`).join(' AND '),
    substrings: words.filter((word) => UNSPACED.test(word)),
  };
}

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
