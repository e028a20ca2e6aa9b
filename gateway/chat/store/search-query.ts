/** What is searched for. Each of it must be there. */
export interface SearchQuery {
  /** For the index: every word must begin a word. `null` when there is no such word. */
  readonly index: string | null;
  /** Words in scripts without spaces, where the index takes a whole sentence for one word: each may stand anywhere. */
  readonly substrings: readonly string[];
}

const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

/** Whatever a person types as a question. `null` when there is no word in it. */
export function parseSearchQuery(find: string): SearchQuery | null {
  // As SQLite splits texts, but for rare signs: within quotes it splits once more, and nothing in them is an operator.
  const words = [...new Set(find.match(/[\p{L}\p{M}\p{N}\p{Co}]+/gu))];
  if (words.length === 0) return null;
  const spaced = words.filter((word) => !UNSPACED.test(word));
  return {
    index: spaced.length === 0 ? null : spaced.map((word) => `"${word}" *`).join(' AND '),
    substrings: words.filter((word) => UNSPACED.test(word)),
  };
}
