/** A row of an export as the file has it. */
export interface RawRow {
  /** Its line, or its number in a JSON file. From 1. */
  readonly place: number;
  /** Texts by the names of columns. */
  readonly cells: ReadonlyMap<string, string>;
  /** The reason for which it cannot be used, for people; `null` when there is none. */
  readonly fault: string | null;
}
