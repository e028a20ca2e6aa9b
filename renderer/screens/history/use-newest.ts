import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { HistoryFilter, HistoryPage } from '../../../shared/history.ts';
import { useCalls } from '../../api/client.ts';
import { useLiveEvents } from '../../api/use-live.ts';
import { newestPage, type Pages, pagesOptions } from './pages.ts';
import { SerialRefresher } from './serial-refresher.ts';

/** The newest page is asked for at most this often. */
const PAUSE_MS = 500;

/** What came in while the user was reading further down. */
export interface NewExchanges {
  readonly page: HistoryPage;
  readonly exchanges: number;
  /** There are more than were counted. */
  readonly orMore: boolean;
}

interface UseNewestOptions {
  readonly filter: HistoryFilter;
  readonly pages: Pages;
  readonly atTop: boolean;
}

/**
 * Keeps the top of the list true. While the user is at the top, new exchanges are put there; otherwise they wait, counted, until
 * `take` is called or the user comes back to the top by himself.
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
    const look = async (signal: AbortSignal): Promise<void> => {
      // The first page may still be on its way; what came after it is what is looked for.
      await queries.infiniteQuery(pagesOptions(calls, filter));
      found({ filter, page: await newestPage(calls, filter, signal) });
    };
    // A look that fails changes nothing on screen: the frame tells when the engine is gone, and `hello` leads to the next look.
    return new SerialRefresher((signal) => look(signal).catch(() => undefined), PAUSE_MS);
  }, [calls, queries, filter, found]);
  useEffect(() => {
    // Pages from an earlier visit may be old by now.
    if (queries.getQueryData(pagesOptions(calls, filter).queryKey) !== undefined)
      refresher.request();
    return () => refresher.close();
  }, [refresher, calls, queries, filter]);
  return refresher.request;
}

/** What of the newest page is not in the list yet. Exchanges that began earlier and ended only now are among it. */
function findNewExchanges(page: HistoryPage, top: Pages['top']): NewExchanges | null {
  const exchanges = page.exchanges.filter(({ id }) => !top.has(id)).length;
  const emptied = page.exchanges.length === 0 && top.size > 0;
  if (exchanges === 0 && !emptied) return null;
  return { page, exchanges, orMore: exchanges === page.exchanges.length && page.next !== null };
}

/** Whether a line that stands for several requests stands for another number of them by now. */
function countsDiffer(page: HistoryPage, rows: Pages['rows']): boolean {
  return page.exchanges.some(
    ({ id, times }) => times > 1 && rows.some((row) => row.id === id && row.times !== times),
  );
}
