import { getHotkeyHandler, useHotkeys } from '@mantine/hooks';
import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react';
import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import { findRowIndex, findRow, rowCount, rowKey, type HistoryRows } from './history-rows.ts';

interface RowCursorOptions {
  readonly lines: HistoryRows;
  readonly opened: ExchangeId | null;
  readonly onOpen: (id: ExchangeId) => void;
  readonly scroller: RefObject<HTMLElement | null>;
  /** The row at which the cursor starts: the first visible one. */
  readonly first: () => number;
  /** Scrolls to a row. */
  readonly show: (index: number) => void;
}

/** Keeps the marked row and the keys that move it: `j` and `k` everywhere, the others within the list. Open details follow it. */
export function useRowCursor({ lines, opened, onOpen, scroller, first, show }: RowCursorOptions): {
  /** Index of the marked row, which is the open one when one is open; -1 for none. */
  readonly marked: number;
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
  /** A list that receives the focus marks a row. */
  readonly onFocus: (event: FocusEvent<HTMLElement>) => void;
} {
  const [chosen, setChosen] = useState<ExchangeId | null>(null);
  const [key, setKey] = useState<ExchangeId | null>(null);
  const markedId = opened ?? chosen;
  const marked = findRowIndex(lines, markedId, key);
  const found = marked === -1 ? null : findRow(lines, marked);
  const foundKey = found?.kind === 'ended' ? rowKey(found.exchange) : null;
  const last = rowCount(lines) - 1;
  useEffect(() => {
    if (opened !== null) setChosen(opened);
  }, [opened]);
  useEffect(() => {
    if (foundKey !== null) setKey(foundKey);
  }, [foundKey]);
  useShowOpened(opened, marked, show);
  const markRow = (index: number): void => {
    const line = findRow(lines, index);
    show(index);
    if (line.kind === 'absent') return;
    setChosen(line.exchange.id);
    if (opened !== null) onOpen(line.exchange.id);
  };
  const move = (step: 1 | -1): void => {
    if (last >= 0) markRow(marked === -1 ? first() : Math.min(last, Math.max(0, marked + step)));
  };
  const moveFromAnywhere = (step: 1 | -1) => (): void => {
    // Details that cover the list keep the focus.
    if (document.activeElement?.closest('[role="dialog"]') == null) scroller.current?.focus();
    move(step);
  };
  useHotkeys([
    ['j', moveFromAnywhere(1)],
    ['k', moveFromAnywhere(-1)],
  ]);
  const onKeyDown = getHotkeyHandler([
    ['ArrowDown', () => move(1)],
    ['ArrowUp', () => move(-1)],
    ['Home', () => markRow(0)],
    ['End', () => markRow(last)],
    ['Enter', () => markedId !== null && onOpen(markedId)],
  ]);
  const onFocus = ({ currentTarget }: FocusEvent<HTMLElement>): void => {
    const byKeyboard = currentTarget.matches(':focus-visible');
    if (byKeyboard && last >= 0 && marked === -1) markRow(first());
  };
  return { marked, onKeyDown, onFocus };
}

/** Scrolls to the row of details that were opened from elsewhere, once when it is in the list. */
function useShowOpened(
  opened: ExchangeId | null,
  marked: number,
  show: (index: number) => void,
): void {
  const shown = useRef<ExchangeId | null>(null);
  const onFound = useEffectEvent(() => {
    if (opened !== null && shown.current !== opened) show(marked);
    shown.current = opened;
  });
  const isFound = marked !== -1;
  useEffect(() => {
    if (opened === null || isFound) onFound();
  }, [opened, isFound]);
}
