/** Whether a table of `gatehouse.db` belongs to the history, which copies leave out and without which Gatehouse can serve. */
export function isHistoryTable(table: string): boolean {
  return /^exchange(?:_|$)/u.test(table);
}

/** Whether it belongs to the search index of the history, which is made of the exchanges. */
export function isSearchTable(table: string): boolean {
  return /^exchange_(?:text|word|index)(?:_|$)/u.test(table);
}
