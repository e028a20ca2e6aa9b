import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { RunFilter } from '../../../shared/run/run.ts';
import { useCalls } from '../../api/client.ts';
import { later } from '../../api/later.ts';
import { toPager } from '../../api/pager.ts';
import { useLiveEvents } from '../../api/use-live.ts';

const PAGE_SIZE = 50;
/** A step gets its place in a run a moment after it ended, so runs are loaded again with a pause. */
const PAUSE_MS = 1_000;
const FIRST: string | null = null;

/** Lists runs, the latest first, and again when the history grew. */
export function useRuns(filter: RunFilter) {
  const query = useInfiniteQuery(
    useCalls().history.runs.infiniteOptions({
      input: (before: string | null) => ({ filter, limit: PAGE_SIZE, before }),
      initialPageParam: FIRST,
      getNextPageParam: (page) => page.next,
    }),
  );
  const { refetch } = query;
  const refresh = useMemo(() => later(PAUSE_MS, () => void refetch()), [refetch]);
  useLiveEvents((event) => {
    // Costs that are computed again change the exchanges.
    const isChanged = event.kind === 'changed' && event.topic === 'exchanges';
    if (event.kind === 'history' || isChanged) refresh();
  });
  return {
    ...query,
    ...toPager(query),
    runs: query.data?.pages.flatMap((page) => page.runs) ?? [],
  };
}
