import type { MessageId, PathEntry } from '../../../shared/chat/chat.ts';

/** One row of the thread: the message of every lane at this depth of its path. */
export interface Row {
  readonly key: string;
  readonly by: PathEntry['by'];
  /** One message when all lanes share it; otherwise one for each lane that is long enough. */
  readonly cells: readonly Cell[];
  readonly shared: boolean;
}

interface Cell extends PathEntry {
  /** Index of the first lane that shows it. */
  readonly lane: number;
}

/** Aligns the paths of the lanes: messages that all of them share appear once. */
export function toRows(paths: readonly (readonly PathEntry[])[]): Row[] {
  const length = Math.max(0, ...paths.map((path) => path.length));
  return Array.from({ length }, (_, at) => toRow(paths, at)).filter((row) => row !== null);
}

function toRow(paths: readonly (readonly PathEntry[])[], at: number): Row | null {
  const cells = paths.flatMap((path, lane) => {
    const entry = path[at];
    return entry === undefined ? [] : [{ ...entry, lane }];
  });
  const [first] = cells;
  if (first === undefined) return null;
  const shared = cells.length === paths.length && cells.every(({ id }) => id === first.id);
  return {
    // Another version in one lane must not change the rows of the others.
    key: shared ? first.id : `row ${at}`,
    by: first.by,
    cells: shared ? [first] : cells,
    shared,
  };
}

/** Finds the row of a message; -1 when it is on no path. */
export function findRow(rows: readonly Row[], id: MessageId): number {
  return rows.findIndex(({ cells }) => cells.some((cell) => cell.id === id));
}

const LINE_PX = 23;
const LETTER_PX = 7.4;
const MARGINS_PX = { person: 62, model: 120 };
const COLUMN_PX = [760, 480, 320];
/** Maximum number of characters of a person's message that affect the estimate. */
const MAX_MESSAGE_LENGTH = 2_000;

/** Estimates the height of a row in pixels before its text is loaded. */
export function estimateHeight({ by, cells }: Row): number {
  const rowCount = Math.max(...cells.map(({ length }) => length));
  const letters = by === 'person' ? Math.min(rowCount, MAX_MESSAGE_LENGTH) : rowCount;
  const column = COLUMN_PX[cells.length - 1] ?? 320;
  return MARGINS_PX[by] + LINE_PX * Math.ceil((letters * LETTER_PX) / column);
}
