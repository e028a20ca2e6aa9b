/** Whatever a person types as a question to the index: every word must begin a word. `null` when there is no word in it. */
export function questionOf(find: string): string | null {
  // As SQLite splits texts, but for rare signs: within quotes it splits once more, and nothing in them is an operator.
  const words = find.match(/[\p{L}\p{M}\p{N}\p{Co}]+/gu) ?? [];
  if (words.length === 0) return null;
  return [...new Set(words)].map((word) => `"${word}" *`).join(' AND ');
}
