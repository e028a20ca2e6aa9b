import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { HistoryFilter, HistoryPage } from '../../../shared/history.ts';
import { useCalls } from '../../api/client.ts';
import { useLiveEvents } from '../../api/use-live.ts';
import { newestPage, type Pages, pagesOptions } from './pages.ts';
import { SerialRefresher } from './serial-refresher.ts';

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
 * until `take` is called or the user scrolls back to the top.
 */
export function useNewest({ filter, pages, atTop }: UseNewestOptions): {
  readonly waiting: NewExchanges | null;
  readonly take: () => Promise<void>;
} {
  const [newest, setNewest] = useState<{ filter: HistoryFilter; page: HistoryPage } | null>(null);
  const ask = useNewestPage(filter, setNewest);
  useLiveEvents(({ kind }) => {
    if (kind === 'history' || kind === 'hello') ask();
  });
  const { beginWith, top, above, state, rows } = pages;
  useEffect(() => {
    if (atTop && above > 0) ask();
  }, [atTop, above, ask]);
  const page =
    newest !== null && newest.filter === filter && state === 'ready' ? newest.page : null;
  const waiting = useMemo(() => (page === null ? null : findNewExchanges(page, top)), [page, top]);
  const take = useCallback(async () => {
    if (page !== null) await beginWith(page);
  }, [page, beginWith]);
  const isEmptied = page?.exchanges.length === 0;
  const isBack = atTop && page !== null && above > 0;
  const isRecounted = useMemo(() => page !== null && countsDiffer(page, rows), [page, rows]);
  const due = isBack || (atTop && isRecounted) || (waiting !== null && (atTop || isEmptied));
  useEffect(() => {
    if (due) void take();
  }, [due, take]);
  return { waiting: due ? null : waiting, take };
}

function useNewestPage(
  filter: HistoryFilter,
  found: (newest: { filter: HistoryFilter; page: HistoryPage }) => void,
): () => void {
  const calls = useCalls();
  const queries = useQueryClient();
  const refresher = useMemo(() => {
    const refresh = async (signal: AbortSignal): Promise<void> => {
      // The first page may still be loading; only exchanges after it are counted.
      await queries.infiniteQuery(pagesOptions(calls, filter));
      found({ filter, page: await newestPage(calls, filter, signal) });
    };
    // A failed fetch changes nothing on screen: a notice tells of a lost engine, and `hello` triggers the next fetch.
    return new SerialRefresher((signal) => refresh(signal).catch(() => undefined), PAUSE_MS);
  }, [calls, queries, filter, found]);
  useEffect(() => {
    // Pages cached by an earlier visit may be outdated.
    if (queries.getQueryData(pagesOptions(calls, filter).queryKey) !== undefined)
      refresher.request();
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

/** Whether the number of requests behind a grouped row has changed. */
function countsDiffer(page: HistoryPage, rows: Pages['rows']): boolean {
  return page.exchanges.some(
    ({ id, times }) => times > 1 && rows.some((row) => row.id === id && row.times !== times),
  );
}
