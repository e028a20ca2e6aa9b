import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type {
  ExchangeSummary,
  HistoryFilter,
  HistoryPage,
} from '../../../shared/history/history.ts';
import { useCalls } from '../../api/client.ts';
import { useLiveEvents } from '../../api/use-live.ts';
import { newestPage, type Pages, pagesOptions, readMarks } from './pages.ts';
import { SerialRefresher } from '../../hooks/serial-refresher.ts';

/** Minimum interval between fetches of the newest page. */
const PAUSE_MS = 500;

/** The exchanges that arrived while the user was reading further down. */
export interface NewExchanges {
  readonly page: HistoryPage;
  readonly exchanges: number;
  /** Whether there are more than the count says. */
  readonly orMore: boolean;
}

interface UseNewestOptions {
  readonly filter: HistoryFilter;
  readonly pages: Pages;
  readonly atTop: boolean;
}

/**
 * Updates the top of the list. While the user is at the top, new exchanges are inserted; otherwise they are counted
 * until `take` is called or the user scrolls back to the top. Marks are updated in all rows, and rows of deleted exchanges removed.
 */
export function useNewest({ filter, pages, atTop }: UseNewestOptions): {
  readonly waiting: NewExchanges | null;
  readonly take: () => Promise<void>;
} {
  const [newest, setNewest] = useState<{ filter: HistoryFilter; page: HistoryPage } | null>(null);
  const ask = useNewestPage(filter, setNewest);
  useLiveEvents((event) => {
    const isMarked = event.kind === 'changed' && event.topic === 'exchanges';
    if (event.kind === 'history') ask(false);
    else if (event.kind === 'hello' || isMarked) ask(true);
  });
  const { beginWith, top, above, state, rows } = pages;
  useEffect(() => {
    if (atTop && above > 0) ask(false);
  }, [atTop, above, ask]);
  const page =
    newest !== null && newest.filter === filter && state === 'ready' ? newest.page : null;
  const waiting = useMemo(() => (page === null ? null : findNewExchanges(page, top)), [page, top]);
  const take = useCallback(async () => {
    if (page !== null) await beginWith(page);
  }, [page, beginWith]);
  const isEmptied = page?.exchanges.length === 0;
  const isBack = atTop && page !== null && above > 0;
  const isChanged = useMemo(() => page !== null && differs(page, rows), [page, rows]);
  const due = isBack || (atTop && isChanged) || (waiting !== null && (atTop || isEmptied));
  useEffect(() => {
    if (due) void take();
  }, [due, take]);
  return { waiting: due ? null : waiting, take };
}

/** Returns a function that fetches the newest page, and the marks of all rows when they may have changed. */
function useNewestPage(
  filter: HistoryFilter,
  found: (newest: { filter: HistoryFilter; page: HistoryPage }) => void,
): (marks: boolean) => void {
  const calls = useCalls();
  const queries = useQueryClient();
  const isMarksDue = useRef(false);
  const refresher = useMemo(() => {
    const refresh = async (signal: AbortSignal): Promise<void> => {
      // The first page may still be loading; only exchanges after it are counted.
      await queries.infiniteQuery(pagesOptions(calls, filter));
      const readsMarks = isMarksDue.current;
      isMarksDue.current = false;
      const page = await newestPage(calls, filter, signal);
      const put = readsMarks ? await readMarks(queries, calls, { filter, signal }) : null;
      // The page comes first: an older one would replace the rows with the new marks.
      found({ filter, page });
      if (put?.() === true) request(true);
    };
    // A failed fetch changes nothing on screen: a notice tells of a lost engine, and `hello` triggers the next fetch.
    const serial = new SerialRefresher(
      (signal) => refresh(signal).catch(() => undefined),
      PAUSE_MS,
    );
    const request = (marks: boolean): void => {
      isMarksDue.current ||= marks;
      serial.request();
    };
    return { request, close: () => serial.close() };
  }, [calls, queries, filter, found]);
  useEffect(() => {
    // Pages cached by an earlier visit may be outdated.
    if (queries.getQueryData(pagesOptions(calls, filter).queryKey) !== undefined)
      refresher.request(true);
    return () => refresher.close();
  }, [refresher, calls, queries, filter]);
  return refresher.request;
}

/** Returns the exchanges of the newest page that are not in the list yet, including long ones that ended only now. */
function findNewExchanges(page: HistoryPage, top: Pages['top']): NewExchanges | null {
  const exchanges = page.exchanges.filter(({ id }) => !top.has(id)).length;
  const emptied = page.exchanges.length === 0 && top.size > 0;
  if (exchanges === 0 && !emptied) return null;
  return { page, exchanges, orMore: exchanges === page.exchanges.length && page.next !== null };
}

/** Whether the rows at the top of the list, their counts or their marks have changed. */
function differs({ exchanges, next }: HistoryPage, rows: Pages['rows']): boolean {
  if (next === null && rows.length > exchanges.length) return true;
  return exchanges.some((row, place) => {
    const shown = rows[place];
    return (
      shown?.id !== row.id ||
      countRequests(shown) !== countRequests(row) ||
      JSON.stringify(shown.mark) !== JSON.stringify(row.mark)
    );
  });
}

function countRequests({ times, checks }: ExchangeSummary): number {
  return checks?.count ?? times;
}
