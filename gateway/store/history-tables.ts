/** Whether a table of `gatehouse.db` belongs to the history, which copies leave out and without which Gatehouse can serve. */
export function isHistoryTable(table: string): boolean {
  return /^exchange(?:_|$)/u.test(table);
}
