import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { isDialogOpen } from './open-dialog.ts';
import { useShortcuts } from './use-shortcuts.ts';

interface ListKeysOptions {
  readonly count: number;
  /** Makes a row come into being and into sight, in lists that hold only what is seen. */
  readonly scrollTo?: (row: number) => void;
  /** `j` and `k` belong to something else on this screen. */
  readonly arrowsOnly?: boolean;
}

/** Makes an element a row that the keys go to. */
export interface RowProps {
  readonly 'data-row': number;
  readonly tabIndex: number;
  readonly onFocus: () => void;
}

interface ListNavigation<List extends HTMLElement> {
  readonly list: RefObject<List | null>;
  /** For the element around the rows. */
  readonly onKeyDown: (event: KeyboardEvent) => void;
  /** For the one button or link of each row, which Enter then opens by itself. */
  readonly rowProps: (row: number) => RowProps;
  /** Puts the focus on a row. */
  readonly mark: (row: number) => void;
}

/** `j` and `k` from anywhere, arrows, Home and End inside of the list: they move the focus, and only the marked row is a tab stop. */
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
    // A row that was out of sight is there only after a later rendering.
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

/** Nothing renders again when the marked row stays the same: the focus moves at once, if the row is there. */
function focusRow(list: HTMLElement | null, wanted: RefObject<number | null>): void {
  const row = list?.querySelector<HTMLElement>(`[data-row="${wanted.current ?? -1}"]`);
  if (!row) return;
  wanted.current = null;
  row.focus();
}
