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
