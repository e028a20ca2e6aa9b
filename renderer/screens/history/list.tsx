import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect } from 'react';
import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import { findRow, rowCount, rowKey, type HistoryRow, type HistoryRows } from './history-rows.ts';
import classes from './list.module.css';
import type { Pages } from './pages.ts';
import { AbsentRow, EndedRow, HeadRow, type Place, rowDomId, RunningRow } from './row.tsx';
import { useCurrency } from '../../hooks/use-currency.ts';
import { type ServiceLabels, useServiceLabels } from '../../hooks/use-service-labels.ts';
import { useRowCursor } from './use-row-cursor.ts';

const ROW_PX = 32;
const HEAD_PX = 30;
/** Number of rows rendered beyond the visible ones, for fast scrolling. */
const OVERSCAN = 24;
/** Number of remaining rows below which more are fetched: a page ahead while scrolling, only the visible rows at the top. */
const PREFETCH_ROWS = 400;
const PREFETCH_AT_TOP = 40;

interface ListProps {
  /** The element that scrolls and receives the keys. */
  readonly grid: RefObject<HTMLDivElement | null>;
  readonly pages: Pages;
  readonly rows: HistoryRows;
  /** Unix time in milliseconds up to which running durations are shown. */
  readonly now: number;
  readonly atTop: boolean;
  readonly onAtTop: (atTop: boolean) => void;
  /** Changes when the list is replaced by another one. */
  readonly listKey: unknown;
  readonly opened: ExchangeId | null;
  readonly onOpen: (id: ExchangeId) => void;
}

/** Lists the exchanges, newest first. Only visible rows are in the document. */
export function ExchangeList(props: ListProps) {
  const { pages, rows, now, opened, onOpen, onAtTop } = props;
  const { grid } = props;
  const virtualizer = useRows(props);
  const { marked, onKeyDown, onFocus } = useRowCursor({
    lines: rows,
    opened,
    onOpen,
    scroller: grid,
    first: () => virtualizer.range?.startIndex ?? 0,
    show: (index) => virtualizer.scrollToIndex(index),
  });
  const items = virtualizer.getVirtualItems();
  const isDrawn = items.some(({ index }) => index === marked);
  const markedId = findId(rows, marked);
  const labels = useServiceLabels();
  const currency = useCurrency();
  return (
    <div
      ref={grid}
      role="grid"
      aria-label="Exchanges"
      aria-rowcount={pages.hasMore ? -1 : rowCount(rows) + 1}
      aria-busy={pages.state === 'stale'}
      aria-activedescendant={markedId !== null && isDrawn ? rowDomId(markedId) : undefined}
      tabIndex={0}
      className={classes['scroller']}
      onKeyDown={onKeyDown}
      onFocus={onFocus}
      onScroll={({ currentTarget }) => onAtTop(currentTarget.scrollTop < ROW_PX / 4)}
    >
      <HeadRow />
      <div
        role="rowgroup"
        className={classes['rows']}
        style={{ height: virtualizer.getTotalSize() }}
      >
        <div
          role="presentation"
          style={{ transform: `translateY(${(items[0]?.start ?? HEAD_PX) - HEAD_PX}px)` }}
        >
          {items.map(({ index }) => {
            const line = findRow(rows, index);
            const isMarked = index === marked;
            const place = { index, marked: isMarked, opened: isMarked && opened !== null, onOpen };
            return (
              <Line key={lineKey(line, index)} {...{ line, now, labels, currency }} {...place} />
            );
          })}
        </div>
      </div>
    </div>
  );
}

function lineKey(line: HistoryRow, index: number): string | number {
  if (line.kind === 'absent') return index;
  return line.kind === 'ended' ? rowKey(line.exchange) : `running-${line.exchange.id}`;
}

interface LineProps extends Place {
  readonly line: HistoryRow;
  readonly now: number;
  readonly labels: ServiceLabels;
  readonly currency: string;
}

/** One row of any kind. */
function Line({ line, now, labels: { several, findName }, currency, ...place }: LineProps) {
  if (line.kind === 'absent') return <AbsentRow index={place.index} />;
  const serviceName = several ? findName(line.exchange.service) : null;
  return line.kind === 'running' ? (
    <RunningRow exchange={line.exchange} now={now} serviceName={serviceName} {...place} />
  ) : (
    <EndedRow exchange={line.exchange} serviceName={serviceName} currency={currency} {...place} />
  );
}

function findId(rows: HistoryRows, index: number): ExchangeId | null {
  const line = findRow(rows, index);
  return line.kind === 'absent' ? null : line.exchange.id;
}

/** Tracks the visible rows and fetches more of them in time. */
function useRows({ grid, pages, rows, atTop, listKey }: ListProps) {
  const count = rowCount(rows);
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => grid.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    scrollMargin: HEAD_PX,
    scrollPaddingStart: HEAD_PX,
  });
  const { startIndex = 0, endIndex = 0 } = virtualizer.range ?? {};
  useEffect(() => {
    // Rows that are drawn later than they came say nothing of what is missing.
    if (pages.state !== 'ready' || rows.rows !== pages.rows) return;
    if (endIndex > count - (atTop ? PREFETCH_AT_TOP : PREFETCH_ROWS)) pages.loadBelow();
    else if (startIndex < rows.running.length + rows.above + PREFETCH_ROWS) pages.loadAbove();
  }, [startIndex, endIndex, count, atTop, pages, rows]);
  useEffect(() => {
    grid.current?.scrollTo({ top: 0 });
  }, [listKey, grid]);
  return virtualizer;
}
