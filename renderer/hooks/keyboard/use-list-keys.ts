import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { isDialogOpen } from './open-dialog.ts';
import { useShortcuts } from './use-shortcuts.ts';

interface ListKeysOptions {
  readonly count: number;
  /** Renders a row and scrolls to it, in virtualized lists. */
  readonly scrollTo?: (row: number) => void;
  /** Set when `j` and `k` are used for something else on this screen. */
  readonly arrowsOnly?: boolean;
}

/** Attributes that make an element a row for the keyboard. */
export interface RowProps {
  readonly 'data-row': number;
  readonly tabIndex: number;
  readonly onFocus: () => void;
}

interface ListNavigation<List extends HTMLElement> {
  readonly list: RefObject<List | null>;
  /** Props for the element around the rows. */
  readonly onKeyDown: (event: KeyboardEvent) => void;
  /** Props for the one button or link of each row, which Enter then activates natively. */
  readonly rowProps: (row: number) => RowProps;
  /** Focuses a row. */
  readonly mark: (row: number) => void;
}

/**
 * Moves the focus between rows: `j` and `k` from anywhere; arrows, Home and End inside of the list. Only the marked row
 * is a tab stop.
 */
export function useListKeys<List extends HTMLElement>({
  count,
  scrollTo,
  arrowsOnly = false,
}: ListKeysOptions): ListNavigation<List> {
  const [marked, setMarked] = useState(0);
  const list = useRef<List>(null);
  const wanted = useRef<number | null>(null);
  const last = Math.max(0, count - 1);
  const at = Math.min(marked, last);
  useEffect(() => {
    // A row that was out of view exists only after a later render.
    if (wanted.current === null) return;
    const row = list.current?.querySelector<HTMLElement>(`[data-row="${wanted.current}"]`);
    if (!row) return;
    wanted.current = null;
    row.focus({ preventScroll: scrollTo !== undefined });
  });
  const mark = (row: number): void => {
    if (count === 0) return;
    const next = Math.min(Math.max(0, row), last);
    wanted.current = next;
    scrollTo?.(next);
    setMarked(next);
    if (next === marked) focusRow(list.current, wanted);
  };
  const within = (): boolean => list.current?.contains(document.activeElement) === true;
  const step = (by: number) => () => {
    if (!isDialogOpen()) mark(within() ? at + by : at);
  };
  useShortcuts(arrowsOnly ? {} : { j: step(1), k: step(-1) });
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    mark(to);
  };
  const rowProps = (row: number): RowProps => ({
    'data-row': row,
    tabIndex: row === at ? 0 : -1,
    onFocus: () => setMarked(row),
  });
  return { list, onKeyDown, rowProps, mark };
}

/** Nothing renders again when the marked row stays the same: the focus then moves at once, if the row exists. */
function focusRow(list: HTMLElement | null, wanted: RefObject<number | null>): void {
  const row = list?.querySelector<HTMLElement>(`[data-row="${wanted.current ?? -1}"]`);
  if (!row) return;
  wanted.current = null;
  row.focus();
}
