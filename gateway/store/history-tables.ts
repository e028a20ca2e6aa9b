/** Returns whether a table of `gatehouse.db` belongs to the history, which copies leave out and which serving does not need. */
export function isHistoryTable(table: string): boolean {
  return /^exchange(?:_|$)/u.test(table);
}

/** Returns whether a table belongs to the search index of the history, which can be rebuilt from the exchanges. */
export function isSearchTable(table: string): boolean {
  return /^exchange_(?:text|word|index)(?:_|$)/u.test(table);
}
