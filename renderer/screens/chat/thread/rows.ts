import type { MessageId, PathEntry } from '../../../../shared/chat.ts';

/** One line of the thread, from left to right: what every lane has at this place of its path. */
export interface Row {
  readonly key: string;
  readonly by: PathEntry['by'];
  /** One for all when all lanes share it; otherwise one for each lane that reaches so far. */
  readonly cells: readonly Cell[];
  readonly shared: boolean;
}

interface Cell extends PathEntry {
  /** The first of the lanes that show it. */
  readonly lane: number;
}

/** The paths of the lanes, laid side by side: what all of them share stands once. */
export function toRows(paths: readonly (readonly PathEntry[])[]): Row[] {
  const length = Math.max(0, ...paths.map((path) => path.length));
  return Array.from({ length }, (_, at) => rowAt(paths, at)).filter((row) => row !== null);
}

function rowAt(paths: readonly (readonly PathEntry[])[], at: number): Row | null {
  const cells = paths.flatMap((path, lane) => {
    const entry = path[at];
    return entry === undefined ? [] : [{ ...entry, lane }];
  });
  const [first] = cells;
  if (first === undefined) return null;
  const shared = cells.length === paths.length && cells.every(({ id }) => id === first.id);
  return {
    // Another version in one lane leaves the others where they are.
    key: shared ? first.id : `row ${at}`,
    by: first.by,
    cells: shared ? [first] : cells,
    shared,
  };
}

/** Where a message stands; -1 when it is on no path. */
export function findRow(rows: readonly Row[], id: MessageId): number {
  return rows.findIndex(({ cells }) => cells.some((cell) => cell.id === id));
}

const LINE_PX = 23;
const LETTER_PX = 7.4;
const MARGINS_PX = { person: 62, model: 120 };
const COLUMN_PX = [760, 480, 320];
/** Of what a person said, about as much is shown at most. */
const MAX_MESSAGE_LENGTH = 2_000;

/** About how high a line will be before its text is known. */
export function estimateHeight({ by, cells }: Row): number {
  const longest = Math.max(...cells.map(({ length }) => length));
  const letters = by === 'person' ? Math.min(longest, MAX_MESSAGE_LENGTH) : longest;
  const column = COLUMN_PX[cells.length - 1] ?? 320;
  return MARGINS_PX[by] + LINE_PX * Math.ceil((letters * LETTER_PX) / column);
}
