import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { type Ref, type RefObject, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import type { MessageId } from '../../../shared/chat/chat.ts';
import type { ConversationStore } from '../store/conversation-store.ts';
import { useRunningAnswers } from '../store/use-conversation-store.ts';
import { useThread } from './thread-context.ts';
import { ScrollToLatest } from './scroll-to-latest.tsx';
import { ThreadRow } from './thread-row.tsx';
import { estimateHeight, type Row, findRow } from './rows.ts';
import classes from './thread.module.css';
import { NEAR_PX, useAtEnd } from './use-at-end.ts';
import { useMessageKeys } from './use-message-keys.ts';
import { useTarget } from './use-target.ts';

/** A range of rows, both ends included. */
interface Range {
  readonly startIndex: number;
  readonly endIndex: number;
}

interface ScrollerProps {
  readonly rows: readonly Row[];
  readonly at: MessageId | undefined;
  readonly sent: number;
}

const OVERSCAN = 4;
/** Number of rows that are fetched ahead. */
const PREFETCH_ROWS = 40;
const MARGIN_PX = 20;

/** Scrolls the rows of a thread, starting at its end. Only visible rows are in the document. */
export function Scroller({ rows, at, sent }: ScrollerProps) {
  const { chat, actions, editing } = useThread();
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useRows(scroller, rows);
  const toEnd = (): void => virtualizer.scrollToEnd();
  const { atEnd, onScroll } = useAtEnd(scroller, toEnd);
  const isBusy = useRunningAnswers(chat).length > 0;
  const reveal = (row: number): void => virtualizer.scrollToIndex(row, { align: 'start' });
  const onElsewhere = (message: MessageId): void => actions.show([{ lane: 0, message }]);
  const marked = useTarget({ at, rows, reveal, onElsewhere });
  usePrefetch(chat, rows, virtualizer.range);
  useMessageKeys({ scroller, count: rows.length, reveal });
  useEffect(() => {
    if (sent > 0) virtualizer.scrollToEnd();
  }, [sent, virtualizer]);
  useEffect(() => {
    if (editing.message !== null) virtualizer.scrollToIndex(findRow(rows, editing.message));
    // oxlint-disable-next-line react/exhaustive-deps -- only when it begins: later on the reader may be elsewhere
  }, [editing.message]);
  const items = virtualizer.getVirtualItems();
  return (
    <>
      <div
        ref={scroller}
        role="log"
        aria-label="Conversation"
        aria-live="off"
        aria-busy={isBusy}
        tabIndex={0}
        className={classes['scroller']}
        onScroll={onScroll}
      >
        <div className={classes['all']} style={{ height: virtualizer.getTotalSize() }}>
          <div style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
            {items.map((item) => (
              <VisibleRow
                key={item.key}
                ref={virtualizer.measureElement}
                item={item}
                rows={rows}
                marked={marked}
              />
            ))}
          </div>
        </div>
      </div>
      {!atEnd && <ScrollToLatest chat={chat} onGo={toEnd} />}
    </>
  );
}

interface VisibleRowProps {
  readonly ref: Ref<HTMLDivElement>;
  readonly item: VirtualItem;
  readonly rows: readonly Row[];
  readonly marked: MessageId | null;
}

function VisibleRow({ ref, item: { index, size }, rows, marked }: VisibleRowProps) {
  const row = rows[index];
  if (row === undefined) return null;
  return (
    <div
      ref={ref}
      data-index={index}
      data-by={row.by}
      data-last={index === rows.length - 1 || undefined}
      data-marked={row.cells.some(({ id }) => id === marked) || undefined}
      tabIndex={-1}
      className={classes['row']}
    >
      <ThreadRow row={row} height={size} />
    </div>
  );
}

/** Fetches rows shortly before they become visible. */
function usePrefetch(chat: ConversationStore, rows: readonly Row[], range: Range | null): void {
  const first = range?.startIndex ?? 0;
  const last = range?.endIndex ?? 0;
  useEffect(() => {
    const soon = rows.slice(Math.max(0, first - PREFETCH_ROWS), last + PREFETCH_ROWS);
    chat.request(soon.flatMap(({ cells }) => cells.map(({ id }) => id)));
  }, [chat, rows, first, last]);
}

/** Virtualizes the rows: starts at the end, and stays there while the reader does. */
function useRows(scroller: RefObject<HTMLDivElement | null>, rows: readonly Row[]) {
  // Stable functions as long as the rows are the same: new ones make the virtualizer estimate all heights again.
  const { estimateSize, getItemKey } = useMemo(() => {
    const heights = rows.map(estimateHeight);
    return {
      estimateSize: (index: number) => heights[index] ?? 0,
      getItemKey: (index: number) => rows[index]?.key ?? index,
    };
  }, [rows]);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize,
    getItemKey,
    overscan: OVERSCAN,
    paddingStart: MARGIN_PX,
    paddingEnd: MARGIN_PX,
    scrollPaddingStart: 12,
    anchorTo: 'end',
    followOnAppend: 'auto',
    scrollEndThreshold: NEAR_PX,
  });
  useLayoutEffect(() => virtualizer.scrollToEnd(), [virtualizer]);
  return virtualizer;
}
